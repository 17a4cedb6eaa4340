// Scope trees and memory maps of generated tests, and the edges of GPU_PTX that ask for some of them.
#include "litmus/gen/placement.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "litmus/gen/emit.h"
#include "litmus/testing/models.h"

namespace heddle::litmus {
namespace {

// Names and texts of all tests of these edges.
std::map<std::string, std::string> Generate(Arch arch, const std::string& words, int size = 4) {
  std::vector<Edge> edges;
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    Result<std::vector<Edge>> found = ParseEdge(arch, word);
    EXPECT_TRUE(found) << found.error().message;
    if (found) edges.insert(edges.end(), found->begin(), found->end());
  }
  std::map<std::string, std::string> tests;
  EnumerateCycles(edges, {size, 6, 0}, [&](Cycle& cycle) {
    for (const Placement& placement : Placements(arch, cycle)) {
      std::string name = cycle.name + "+" + placement.name;
      std::optional<std::string> text = EmitTest(arch, cycle, placement, name);
      if (!text) continue;
      EXPECT_TRUE(tests.emplace(name, *text).second) << name << " twice";
    }
    return true;
  });
  for (const auto& [name, text] : tests) EXPECT_TRUE(ParseLitmus("t.litmus", text)) << text;
  return tests;
}

std::string Names(const std::map<std::string, std::string>& tests) {
  std::string names;
  for (const auto& [name, text] : tests) names += (names.empty() ? "" : " ") + name;
  return names;
}

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(LitmusPlacement, TheExampleOfTheThesisGivesTwoTests) {
  auto tests = Generate(Arch::kGpuPtx, "Po-d-Wgl2-Rgl2 Fr-c-gl2l2");
  EXPECT_EQ(Names(tests), "SB+AB SB+AB+01");
  EXPECT_TRUE(Has(tests["SB+AB"], "(device (kernel (cta (warp P0)) (cta (warp P1))))\n\nx: global, y: global"));
  EXPECT_TRUE(Has(tests["SB+AB+01"], "(device (kernel (cta (warp P0))) (kernel (cta (warp P1))))"));
  EXPECT_TRUE(Has(tests["SB+AB"], "st.cg.s32 [r0],r1 : st.cg.s32 [r0],r1\n ld.cg.s32 r3,[r2] : ld.cg.s32 r3,[r2]"));
}

TEST(LitmusPlacement, EdgesSayHowFarApartThreadsAre) {
  EXPECT_EQ(Names(Generate(Arch::kGpuPtx, "Po-d-Wgl2-Rgl2 Fr-w-gl2l2")), "SB+AA SB+AB SB+AB+01");
  EXPECT_EQ(Names(Generate(Arch::kGpuPtx, "Po-d-Wgl2-Rgl2 Fr-k-gl2l2")), "SB+AB+01");
}

TEST(LitmusPlacement, SharedMemoryIsOfOneCta) {
  auto tests = Generate(Arch::kGpuPtx, "Po-d-Wsl1-Rsl1 Fr-w-sl1l1");
  EXPECT_EQ(Names(tests), "SB+po.sl1.sl1s+AA+ss");
  const std::string& text = tests.begin()->second;
  EXPECT_TRUE(Has(text, "x: shared, y: shared")) << text;
  EXPECT_TRUE(Has(text, "st.wb.s32") && Has(text, "ld.ca.s32")) << text;
  EXPECT_EQ(Names(Generate(Arch::kGpuPtx, "Po-d-Wsl1-Rsl1 Fr-c-sl1l1")), "");
}

TEST(LitmusPlacement, EdgesThatDoNotAgreeMakeNoCycle) {
  EXPECT_EQ(Names(Generate(Arch::kGpuPtx, "Po-d-Wgl2-Rgl2 Fr-c-gl1l1")), "");
  EXPECT_EQ(Names(Generate(Arch::kGpuPtx, "Po-d-Wgl2-Rgl2 Fr-w-sl2l2")), "");
}

TEST(LitmusPlacement, AllTreesAndMapsWhenNothingIsSaid) {
  // One CTA: no, one or both locations shared; which one does not matter, since the test looks the same from both
  // sides.
  EXPECT_EQ(Names(Generate(Arch::kGpuPtx, "PodWR Fre")), "SB+AA SB+AA+gs SB+AA+ss SB+AB SB+AB+01");
  // It does in a test whose threads differ.
  auto tests = Generate(Arch::kGpuPtx, "PodWW Rfe PodRR Fre");
  std::erase_if(tests, [](const auto& test) { return !test.first.starts_with("MP"); });
  EXPECT_EQ(Names(tests), "MP+AA MP+AA+gs MP+AA+sg MP+AA+ss MP+AB MP+AB+01");
}

TEST(LitmusPlacement, EachOnceUpToTurning) {
  EXPECT_EQ(Names(Generate(Arch::kOpenCl, "PodWRScSc Fre", 6)),
            "3.SB+poscscs+AAA 3.SB+poscscs+AAB 3.SB+poscscs+ABC SB+poscscs+AA SB+poscscs+AB");
}

TEST(LitmusPlacement, WordsThatAreNoEdges) {
  for (const char* word : {"Po-d-Ws-Rs", "Po-x-Wgl2-Rgl2", "Po-d-Xgl2-Rgl2", "Po-d-Wgl3-Rgl2", "Po-d-Wgl2-Rgl2x",
                           "Fr-d-gl2l2", "Fr-c-gl2", "Fr-c-gl2l2l2", "Fr-c-l2l2", "Xx-c-gl2l2"}) {
    EXPECT_FALSE(ParseEdge(Arch::kGpuPtx, word)) << word;
  }
}

}  // namespace
}  // namespace heddle::litmus
