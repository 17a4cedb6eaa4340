// Well-known verdicts: each family with each fence and dependency, and the table of them in docs/litmus-verdicts.md,
// which this test makes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "litmus/gen/cycle.h"
#include "litmus/gen/emit.h"
#include "litmus/testing/models.h"

namespace heddle::litmus {
namespace {

struct Row {
  Arch arch;
  std::string model;
  std::string cycle;
  bool allowed;
};

// Verdicts of the literature: Herding cats (TSO, Power), the Arm and RISC-V manuals and their test suites, the RC11 and
// PTX papers. Edges in the order of the cycle.
const Row kRows[] = {
    {Arch::kX86_64, "sc", "PodWR Fre PodWR Fre", false},
    {Arch::kX86_64, "x86tso", "PodWR Fre PodWR Fre", true},
    {Arch::kX86_64, "x86tso", "MFencedWR Fre PodWR Fre", true},
    {Arch::kX86_64, "x86tso", "MFencedWR Fre MFencedWR Fre", false},
    {Arch::kX86_64, "x86tso", "PodWW Rfe PodRR Fre", false},
    {Arch::kX86_64, "x86tso", "PodRW Rfe PodRW Rfe", false},
    {Arch::kX86_64, "x86tso", "PodWW Coe PodWR Fre", true},
    {Arch::kX86_64, "x86tso", "PodWW Coe MFencedWR Fre", false},
    {Arch::kX86_64, "x86tso", "PodWW Rfe PodRW Coe", false},
    {Arch::kX86_64, "x86tso", "PodWW Coe PodWW Coe", false},
    {Arch::kX86_64, "x86tso", "Rfe PodRR Fre Rfe PodRR Fre", false},
    {Arch::kX86_64, "x86tso", "Rfi PodRR Fre Rfi PodRR Fre", true},
    {Arch::kX86_64, "x86tso", "Rfe PodRR Fre PodWR Fre", true},
    {Arch::kX86_64, "x86tso", "Rfe PosRR Fre", false},
    {Arch::kAArch64, "aarch64", "PodWW Rfe PodRR Fre", true},
    {Arch::kAArch64, "aarch64", "DMB.SYdWW Rfe PodRR Fre", true},
    {Arch::kAArch64, "aarch64", "DMB.SYdWW Rfe DMB.SYdRR Fre", false},
    {Arch::kAArch64, "aarch64", "DMB.STdWW Rfe DMB.LDdRR Fre", false},
    {Arch::kAArch64, "aarch64", "DMB.SYdWW Rfe DpAddrdR Fre", false},
    {Arch::kAArch64, "aarch64", "DMB.SYdWW Rfe DpCtrldR Fre", true},
    {Arch::kAArch64, "aarch64", "DMB.SYdWW Rfe DpCtrlISBdR Fre", false},
    {Arch::kAArch64, "aarch64", "PodWWPL Rfe PodRRAP Fre", false},
    {Arch::kAArch64, "aarch64", "PodWWPL Rfe PodRRQP Fre", false},
    {Arch::kAArch64, "aarch64", "PodWWPL Rfe PodRR Fre", true},
    {Arch::kAArch64, "aarch64", "PodWRLA Fre PodWRLA Fre", false},
    {Arch::kAArch64, "aarch64", "PodWRLQ Fre PodWRLQ Fre", true},
    {Arch::kAArch64, "aarch64", "PodRW Rfe PodRW Rfe", true},
    {Arch::kAArch64, "aarch64", "DpDatadW Rfe DpDatadW Rfe", false},
    {Arch::kAArch64, "aarch64", "DpCtrldW Rfe DpCtrldW Rfe", false},
    {Arch::kAArch64, "aarch64", "DMB.SYdWR Fre DMB.SYdWR Fre", false},
    {Arch::kAArch64, "aarch64", "DMB.STdWR Fre DMB.STdWR Fre", true},
    {Arch::kAArch64, "aarch64", "Rfe DpDatadW Rfe DpAddrdR Fre", false},
    {Arch::kAArch64, "aarch64", "Rfe DpAddrdR Fre Rfe DpAddrdR Fre", false},
    {Arch::kAArch64, "aarch64", "Rfe PodRR Fre Rfe PodRR Fre", true},
    {Arch::kAArch64, "aarch64", "Rfe PosRR Fre", false},
    {Arch::kAArch64, "aarch64", "DMB.SYdWW Coe DMB.SYdWW Coe", false},
    {Arch::kRiscv, "riscv", "PodWW Rfe PodRR Fre", true},
    {Arch::kRiscv, "riscv", "Fence.rw.rwdWW Rfe Fence.rw.rwdRR Fre", false},
    {Arch::kRiscv, "riscv", "Fence.w.wdWW Rfe Fence.r.rdRR Fre", false},
    {Arch::kRiscv, "riscv", "Fence.rw.rwdWW Rfe DpAddrdR Fre", false},
    {Arch::kRiscv, "riscv", "Fence.rw.rwdWW Rfe DpCtrldR Fre", true},
    {Arch::kRiscv, "riscv", "Fence.tsodWR Fre Fence.tsodWR Fre", true},
    {Arch::kRiscv, "riscv", "Fence.rw.rwdWR Fre Fence.rw.rwdWR Fre", false},
    {Arch::kRiscv, "riscv", "DpDatadW Rfe DpDatadW Rfe", false},
    {Arch::kRiscv, "riscv", "PodRW Rfe PodRW Rfe", true},
    {Arch::kPpc, "power", "SyncdWW Rfe SyncdRR Fre", false},
    {Arch::kPpc, "power", "LwSyncdWW Rfe DpAddrdR Fre", false},
    {Arch::kPpc, "power", "LwSyncdWW Rfe DpCtrldR Fre", true},
    {Arch::kPpc, "power", "LwSyncdWW Rfe DpCtrlIsyncdR Fre", false},
    {Arch::kPpc, "power", "SyncdWR Fre SyncdWR Fre", false},
    {Arch::kPpc, "power", "LwSyncdWR Fre LwSyncdWR Fre", true},
    {Arch::kPpc, "power", "Rfe LwSyncdRR Fre Rfe LwSyncdRR Fre", true},
    {Arch::kPpc, "power", "Rfe SyncdRR Fre Rfe SyncdRR Fre", false},
    {Arch::kPpc, "power", "Rfe LwSyncdRW Rfe DpAddrdR Fre", false},
    {Arch::kPpc, "power", "Rfe DpDatadW Rfe DpAddrdR Fre", true},
    {Arch::kPpc, "power", "LwSyncdWW Rfe DpDatadW Rfe DpAddrdR Fre", false},
    {Arch::kPpc, "power", "LwSyncdWW Coe LwSyncdWR Fre", true},
    {Arch::kPpc, "power", "LwSyncdWW Coe SyncdWR Fre", true},
    {Arch::kPpc, "power", "SyncdWW Coe SyncdWR Fre", false},
    {Arch::kPpc, "power", "DpDatadW Rfe DpDatadW Rfe", false},
    {Arch::kPpc, "power", "LwSyncdWW Coe LwSyncdWW Coe", false},
    {Arch::kC, "rc11", "PodWR Fre PodWR Fre", true},
    {Arch::kC, "rc11", "PodWRScSc Fre PodWRScSc Fre", false},
    {Arch::kC, "rc11", "FenceScdWR Fre FenceScdWR Fre", false},
    {Arch::kC, "rc11", "PodWWRlxRel Rfe PodRRAcqRlx Fre", false},
    {Arch::kC, "rc11", "PodWWRlxRel Rfe PodRR Fre", true},
    {Arch::kC, "rc11", "FenceReldWW Rfe FenceAcqdRR Fre", false},
    {Arch::kC, "rc11", "PodRW Rfe PodRW Rfe", false},
    {Arch::kC, "c11", "PodRW Rfe PodRW Rfe", true},
    {Arch::kC, "c11", "PodRWAcqRel Rfe PodRWAcqRel Rfe", false},
    {Arch::kC, "rc11", "RfeScSc PodRRScSc FreScSc RfeScSc PodRRScSc FreScSc", false},
    {Arch::kC, "rc11", "Rfe PodRRAcqAcq Fre Rfe PodRRAcqAcq Fre", true},
    {Arch::kC, "rc11", "Rfe PosRR Fre", false},
    {Arch::kPtx, "ptx6", "PodWW Rfe PodRR Fre", true},
    {Arch::kPtx, "ptx6", "PodWWRlxRel Rfe PodRRAcqRlx Fre", false},
    {Arch::kPtx, "ptx7.5", "PodWWRlxRel Rfe PodRRAcqRlx Fre", false},
    {Arch::kPtx, "ptx6", "Fence.sc.gpudWR Fre Fence.sc.gpudWR Fre", false},
    {Arch::kPtx, "ptx6", "Fence.acq_rel.gpudWR Fre Fence.acq_rel.gpudWR Fre", true},
    {Arch::kPtx, "ptx6", "Fence.sc.ctadWR Fre Fence.sc.ctadWR Fre", true},
    {Arch::kGpuPtx, "ptx-rmo", "PodWW Rfe PodRR Fre", true},
    {Arch::kGpuPtx, "ptx-rmo", "Membar.gldWW Rfe Membar.gldRR Fre", false},
    {Arch::kGpuPtx, "ptx-rmo", "Membar.ctadWW Rfe Membar.ctadRR Fre", true},
    {Arch::kGpuPtx, "ptx-rmo", "Rfe PosRR Fre", true},
    {Arch::kGpuPtx, "ptx-rmo", "Rfe Membar.glsRR Fre", false},
    {Arch::kGpuPtx, "ptx-rmo", "Membar.gldRW Rfe Membar.gldRW Rfe", false},
    {Arch::kOpenCl, "opencl", "PodWR Fre PodWR Fre", true},
    {Arch::kOpenCl, "opencl", "PodWRScSc Fre PodWRScSc Fre", false},
    {Arch::kOpenCl, "opencl", "PodWWRlxRel Rfe PodRRAcqRlx Fre", false},
};

// The one cycle that uses exactly these edges in this order, threads in different CTAs.
std::pair<std::string, std::string> TestFor(const Row& row) {
  std::vector<Edge> edges;
  std::istringstream words(row.cycle);
  for (std::string word; words >> word;) {
    Result<std::vector<Edge>> found = ParseEdge(row.arch, word);
    if (!found || found->size() != 1) {
      ADD_FAILURE() << row.cycle << ": " << word << (found ? " stands for several edges" : found.error().message);
      return {};
    }
    edges.push_back((*found)[0]);
  }
  std::optional<Cycle> cycle = CycleOf(edges);
  if (!cycle) {
    ADD_FAILURE() << row.cycle << " is not a cycle";
    return {};
  }
  std::optional<std::string> text = EmitTest(row.arch, *cycle, Apart(*cycle), cycle->name);
  if (!text) {
    ADD_FAILURE() << row.cycle << " cannot be written";
    return {};
  }
  return {cycle->name, *text};
}

TEST(LitmusVerdicts, AsPublished) {
  std::string table =
      "# Verdicts of the models\n\nMade by the test `litmus_verdicts_test` (run it with `HEDDLE_WRITE_TABLE=1` to "
      "write it "
      "again). GPU tests: threads in different\nCTAs or work-groups. Each verdict is that of the literature, and of "
      "heddle.\n\n"
      "| language | model | test | cycle | verdict |\n|---|---|---|---|---|\n";
  for (const Row& row : kRows) {
    auto [name, text] = TestFor(row);
    if (text.empty()) continue;
    SimResult result = SimulateText(text, row.model);
    EXPECT_EQ(result.positive > 0, row.allowed) << row.model << " " << row.cycle << "\n" << text;
    table += fmt::format("| {} | {} | {} | {} | {} |\n", ArchName(row.arch), row.model, name, row.cycle,
                         result.positive > 0 ? "allowed" : "forbidden");
  }
  std::string path = std::string(HEDDLE_SOURCE_DIR) + "/docs/litmus-verdicts.md";
  if (std::getenv("HEDDLE_WRITE_TABLE") != nullptr) std::ofstream(path) << table;
  std::ifstream in(path);
  std::stringstream written;
  written << in.rdbuf();
  EXPECT_EQ(written.str(), table) << "docs/litmus-verdicts.md is not what this test makes";
}

uint64_t compared = 0;

// Every state of a model is a state of each weaker one. With HEDDLE_LITMUS_ALL on three times as many tests, more than
// 10,000 in all; the suite has a share of them.
void Weaker(Arch arch, const std::vector<std::string>& models, int size, uint64_t limit) {
  std::vector<Edge> edges;
  for (const std::string& word : DefaultEdges(arch)) {
    Result<std::vector<Edge>> found = ParseEdge(arch, word);
    ASSERT_TRUE(found) << found.error().message;
    edges.insert(edges.end(), found->begin(), found->end());
  }
  uint64_t tests = 0;
  if (std::getenv("HEDDLE_LITMUS_ALL") != nullptr) limit *= 3;
  EnumerateCycles(edges, {size, 4, limit}, [&](Cycle& cycle) {
    for (const Placement& placement : Placements(arch, cycle)) {
      std::optional<std::string> text = EmitTest(arch, cycle, placement, cycle.name);
      if (!text) continue;
      ++tests;
      std::set<std::vector<int64_t>> stronger;
      for (const std::string& model : models) {
        std::set<std::vector<int64_t>> states = StatesOf(SimulateText(*text, model));
        EXPECT_TRUE(std::includes(states.begin(), states.end(), stronger.begin(), stronger.end()))
            << model << " is not weaker than the one before it\n"
            << *text;
        stronger = std::move(states);
      }
      if (testing::Test::HasFailure()) return false;
    }
    return true;
  });
  EXPECT_GT(tests, 70U);
  compared += tests;
}

TEST(LitmusVerdicts, WeakerThan) {
  compared = 0;
  Weaker(Arch::kX86_64, {"sc", "x86tso"}, 6, 1500);
  Weaker(Arch::kAArch64, {"sc", "aarch64"}, 4, 800);
  Weaker(Arch::kRiscv, {"sc", "riscv"}, 4, 600);
  Weaker(Arch::kPpc, {"sc", "power"}, 4, 500);
  Weaker(Arch::kC, {"sc", "rc11", "c11"}, 6, 900);
  Weaker(Arch::kC, {"sc", "rc11", "rc20"}, 6, 900);
  Weaker(Arch::kPtx, {"sc", "ptx6"}, 4, 300);
  RecordProperty("tests", static_cast<int>(compared));
  std::printf("%llu tests\n", static_cast<unsigned long long>(compared));
  EXPECT_GT(compared, std::getenv("HEDDLE_LITMUS_ALL") != nullptr ? 10000U : 3000U);
}

}  // namespace
}  // namespace heddle::litmus
