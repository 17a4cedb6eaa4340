// The search of large tests (traces taken together, the model asked between two reads) against the plain one, on tests
// small enough for both; and a test that only the former can decide.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "litmus/gen/emit.h"
#include "litmus/model/cat_compile.h"
#include "litmus/testing/models.h"

namespace heddle::litmus {
namespace {

constexpr double kNever = 1e300;

// States with how often each was reached, flags, and what is undefined.
std::string Answer(const litmus::Test& test, const SourceMap& sources, const CatProgram& program, bool large) {
  SimOptions options;
  options.together_from = options.ask_from = large ? 0 : kNever;
  Result<SimResult> result = Simulate(test, sources, program, options);
  if (!result) return result.error().message;
  std::string out = result->undecided + "\n";
  for (const SimState& state : result->states)
    out += fmt::format("{} {}\n", fmt::join(state.values, " "), state.executions);
  return out + fmt::format("{} {} {} {}", fmt::join(result->flags, " "), fmt::join(result->undefined, " "),
                           result->positive, result->negative);
}

void Same(const std::string& text, const std::string& model) {
  Result<litmus::Test> test = ParseLitmus("t.litmus", text);
  ASSERT_TRUE(test) << test.error().message << text;
  const Model& m = ModelNamed(model);
  EXPECT_EQ(Answer(*test, m.sources, m.program, true), Answer(*test, m.sources, m.program, false)) << model << text;
}

void SameOnGenerated(Arch arch, const std::vector<std::string>& models, int size, uint64_t limit) {
  std::vector<Edge> edges;
  for (const std::string& word : DefaultEdges(arch)) {
    Result<std::vector<Edge>> found = ParseEdge(arch, word);
    ASSERT_TRUE(found) << found.error().message;
    edges.insert(edges.end(), found->begin(), found->end());
  }
  uint64_t tests = 0;
  EnumerateCycles(edges, {size, 4, limit}, [&](Cycle& cycle) {
    for (const Placement& placement : Placements(arch, cycle)) {
      std::optional<std::string> text = EmitTest(arch, cycle, placement, cycle.name);
      if (!text) continue;
      ++tests;
      for (const std::string& model : models) Same(*text, model);
    }
    return !testing::Test::HasFailure();
  });
  EXPECT_GT(tests, 50U);
}

TEST(LitmusSearch, GeneratedTests) {
  SameOnGenerated(Arch::kX86_64, {"sc", "x86tso"}, 5, 200);
  SameOnGenerated(Arch::kAArch64, {"aarch64"}, 4, 200);
  SameOnGenerated(Arch::kRiscv, {"riscv"}, 4, 150);
  SameOnGenerated(Arch::kPpc, {"power"}, 4, 150);
  SameOnGenerated(Arch::kC, {"rc11", "rc20", "c11"}, 4, 150);
  SameOnGenerated(Arch::kPtx, {"ptx6", "ptx7.5"}, 4, 60);
  SameOnGenerated(Arch::kGpuPtx, {"ptx-rmo"}, 4, 40);
  SameOnGenerated(Arch::kOpenCl, {"opencl"}, 4, 60);
}

// Loops, read-modify-writes, conditional code, filters, and models that choose coherence themselves.
TEST(LitmusSearch, OtherTests) {
  const char* exclusive =
      "AArch64 t\n{ 0:X1=x; 1:X1=x; 0:X3=y; 1:X3=y; }\n P0 | P1 ;\n LDXR W0,[X1] | LDR W4,[X3] ;\n ADD W0,W0,#1 | "
      "CBZ W4,L ;\n STXR W2,W0,[X1] | SWP W4,W5,[X1] ;\n STR W0,[X3] | L: LDR W6,[X1] ;\n"
      "filter (0:X2=0)\nexists (1:X6=1)\n";
  Same(exclusive, "aarch64");
  Same(exclusive, "sc");
  const char* c11 =
      "C t\n{ }\nP0 (atomic_int* x, int* y) { *y = 1; int r0 = atomic_fetch_add(x, 1); }\n"
      "P1 (atomic_int* x, int* y) { int e = 0; int r1 = atomic_compare_exchange_weak(x, &e, 2); int r2 = 5; "
      "if (e == 1) { r2 = *y; } }\nP2 (atomic_int* x) { int r3 = atomic_load_explicit(x, memory_order_relaxed); "
      "int r4 = atomic_exchange_explicit(x, r3, memory_order_release); }\nexists (1:r2=1)\n";
  for (const char* model : {"rc11", "c11", "sc"}) Same(c11, model);
  const char* vulkan =
      "VULKAN t\n{ x=0; f=0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 1,wg 0,qf 0 | P2@sg 0,wg 1,qf 0 ;\n"
      " st.av.dv.sc0 x, 1 | rmw.atom.acq.rel.dv.sc0.semsc0.add r1, f, 1 | LC00: ;\n"
      " cbar.acq.rel.wg.semsc0 1 | cbar.acq.rel.wg.semsc0 1 | ld.atom.acq.dv.sc0.semsc0 r2, f ;\n"
      " st.atom.rel.dv.sc0.semsc0 f, 2 | ld.vis.dv.sc0 r3, x | beq r2, 0, LC00 ;\n"
      " ld.sc0 r4, x | | ld.vis.dv.sc0 r5, x ;\nexists (P2:r5 == 0)\n";
  Same(vulkan, "vulkan");
  Result<litmus::Test> test = ParseLitmus("t.litmus", c11);
  ASSERT_TRUE(test);
  for (const char* text :
       {"with co from generate_cos(co0) let fr = (rf^-1; co) \\ id acyclic po | rf | fr | co",
        "let late = co \\ rf acyclic po-loc | late | rf", "empty different-values(rf) acyclic po | rf",
        "let f(a, b) = a \\ b acyclic f(po | co, rf) | fr", "acyclic ~(~(po | rf)) | co"}) {
    SourceMap sources;
    Result<CatModel> model = ParseCatText(sources, "m.cat", text, TestSearch());
    ASSERT_TRUE(model) << model.error().message;
    Result<CatProgram> program = CompileCat(sources, *model);
    ASSERT_TRUE(program) << program.error().message;
    EXPECT_EQ(Answer(*test, sources, *program, true), Answer(*test, sources, *program, false)) << text;
  }
}

// A barrier between work-groups after Xiao and Feng: one thread of the first group waits for each other group. Every
// thread then reads what all of them wrote, so that the values alone have many thousands of combinations.
std::string GroupBarrier(bool released) {
  std::string order = released ? "rel." : "";
  std::string columns[4];
  for (int t = 0; t < 4; ++t) columns[t] = fmt::format("st.av.dv.sc0 x{}, 1;", t);
  columns[0] += "W0:;ld.atom.acq.dv.sc0.semsc0 r9, f;beq r9, 0, W0;cbar.acq.rel.wg.semsc0 0;st.atom." + order +
                "dv.sc0.semsc0 f, 0;";
  columns[1] += "cbar.acq.rel.wg.semsc0 0;";
  columns[2] += "cbar.acq.rel.wg.semsc0 1;st.atom." + order +
                "dv.sc0.semsc0 f, 1;W2:;ld.atom.acq.dv.sc0.semsc0 r9, f;beq r9, 1, W2;cbar.acq.rel.wg.semsc0 2;";
  columns[3] += "cbar.acq.rel.wg.semsc0 1;cbar.acq.rel.wg.semsc0 2;";
  std::vector<std::vector<std::string>> lines(4);
  std::string all;
  for (int t = 0; t < 4; ++t) {
    for (int k = 0; k < 4; ++k) columns[t] += fmt::format("ld.vis.dv.sc0 r{}, x{};", k, k);
    std::string line;
    for (char c : columns[t]) {
      if (c == ';') lines[static_cast<size_t>(t)].push_back(std::exchange(line, ""));
      if (c != ';') line += c;
    }
    for (int k = 0; k < 4; ++k) all += fmt::format("{}P{}:r{} == 1", all.empty() ? "" : " /\\ ", t, k);
  }
  std::string text =
      "VULKAN barrier\n{ f=0; x0=0; x1=0; x2=0; x3=0; }\n"
      " P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 | P2@sg 0,wg 1,qf 0 | P3@sg 0,wg 1,qf 0 ;\n";
  for (size_t row = 0; row < 12; ++row) {
    for (size_t t = 0; t < 4; ++t)
      text += fmt::format("{}{}", t == 0 ? " " : " | ", row < lines[t].size() ? lines[t][row] : "");
    text += " ;\n";
  }
  return text + "forall (" + all + ")\n";
}

TEST(LitmusSearch, ABarrierBetweenGroupsIsDecided) {
  SimResult result = SimulateText(GroupBarrier(true), "vulkan");
  EXPECT_EQ(result.undecided, "");
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.states.size(), 1U);
  // Without release there are thousands of states; that some are wrong is known at once.
  Result<litmus::Test> test = ParseLitmus("t.litmus", GroupBarrier(false));
  ASSERT_TRUE(test) << test.error().message;
  const Model& m = ModelNamed("vulkan");
  SimOptions options;
  options.seconds = 0.5;
  Result<SimResult> weak = Simulate(*test, m.sources, m.program, options);
  ASSERT_TRUE(weak);
  EXPECT_FALSE(weak->ok);
}

}  // namespace
}  // namespace heddle::litmus
