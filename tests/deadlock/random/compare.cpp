// Random programs (generate.py): each one that the explorer drives into a deadlock must be reported.
//
//   deadlock_random LEAST_DEADLOCKS PROGRAM.c.bc...
//
// With PROGRAM.lib.c.bc beside it (outside.py), the explorer runs both together, and the analysis gets the program alone.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "deadlock/deadlock.h"
#include "explorer.h"

namespace heddle::deadlock {
namespace {

constexpr size_t kStateLimit = 20000;
constexpr size_t kCoarseEvery = 6;  // programs that are analysed with small budgets too

struct Totals {
  size_t programs = 0, deadlocking = 0, cycles = 0, missed = 0, alarms = 0, proved = 0, undecided = 0, broken = 0;
};

// Names as the generator makes them: g0, boxes[1].lock; the heap has none.
bool IsLock(const std::string& operand, const std::string& lock) {
  std::string variable = lock.substr(0, lock.find('+'));
  if (!variable.empty() && operand.rfind(variable, 0) != 0) return variable == "boxes" && operand.find("->") != std::string::npos;
  return true;
}

// Whether the finding has the locks of the deadlock, or the places where its threads wait (findings with the same
// places are one).
bool Covers(const findings::Finding& finding, const Deadlock& cycle) {
  auto has_lock = [&](const std::string& lock) {
    return std::any_of(finding.steps.begin(), finding.steps.end(), [&](const auto& step) { return IsLock(step.operand, lock); });
  };
  auto has_place = [&](const std::set<unsigned>& lines) {
    return std::any_of(finding.steps.begin(), finding.steps.end(), [&](const auto& step) {
      return std::all_of(step.stack.begin(), step.stack.end(), [&](const auto& frame) { return lines.count(frame.line) != 0; });
    });
  };
  return std::all_of(cycle.locks.begin(), cycle.locks.end(), has_lock) ||
         std::all_of(cycle.waits.begin(), cycle.waits.end(), has_place);
}

bool AllCovered(const Analysis& analysis, const Exploration& explored) {
  return std::all_of(explored.cycles.begin(), explored.cycles.end(), [&](const Deadlock& cycle) {
    bool covered = std::any_of(analysis.findings.begin(), analysis.findings.end(), [&](const auto& finding) { return Covers(finding, cycle); });
    if (!covered) fmt::print("not among the findings: {}\n", fmt::join(cycle.locks, ", "));
    return covered;
  });
}

// Budgets that are used up at once, so that the answers are coarse: pointers, locksets, both.
bool ReportedCoarsely(const std::string& path) {
  struct Work {
    uint64_t pointers, locksets;
  };
  for (const Work& work : {Work{1, 0}, Work{0, 60}, Work{0, 1}, Work{1, 1}}) {
    Options options;
    options.pointer_work = work.pointers;
    options.lockset_work = work.locksets;
    Result<Analysis> analysis = Analyse({path}, options);
    if (analysis && !analysis->findings.empty()) continue;
    fmt::print("no finding with budgets {} and {}\n", work.pointers, work.locksets);
    return false;
  }
  return true;
}

// The program, with its library if it has one.
std::unique_ptr<llvm::Module> Whole(const std::string& path, llvm::LLVMContext& context) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, problem, context);
  std::string library = path.substr(0, path.rfind(".c.bc")) + ".lib.c.bc";
  if (module == nullptr || !std::filesystem::exists(library)) return module;
  std::unique_ptr<llvm::Module> more = llvm::parseIRFile(library, problem, context);
  if (more == nullptr || llvm::Linker::linkModules(*module, std::move(more))) return nullptr;
  return module;
}

void Compare(const std::string& path, Totals* totals) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = Whole(path, context);
  Result<Analysis> analysis = Analyse({path}, {});
  ++totals->programs;
  if (module == nullptr || !analysis) {
    fmt::print("{}: cannot be read or analysed\n", path);
    ++totals->broken;
    return;
  }
  Exploration explored = Explore(*module, kStateLimit, true);
  if (!explored.problem.empty()) {
    fmt::print("{}: the explorer does not know {}\n", path, explored.problem);
    ++totals->broken;
    return;
  }
  bool reported = !analysis->findings.empty();
  if (!explored.deadlock && !explored.complete) {
    ++totals->undecided;
  } else if (!explored.deadlock) {
    ++(reported ? totals->alarms : totals->proved);
  } else {
    ++totals->deadlocking;
    totals->cycles += explored.cycles.size();
    bool coarse = totals->deadlocking % kCoarseEvery != 0 || ReportedCoarsely(path);
    if (reported && AllCovered(*analysis, explored) && coarse) return;
    ++totals->missed;
    fmt::print("MISSED: {}\n", path);
  }
}

// Every stage ends on any module, with the usual budgets and with small ones. The caller limits the time.
int Survive(int argc, char** argv) {
  size_t findings = 0;
  for (int i = 2; i < argc; ++i) {
    for (uint64_t work : {uint64_t{0}, uint64_t{1}, uint64_t{300}}) {
      Options options;
      options.pointer_work = options.lockset_work = work;
      options.races = true;
      options.prune_list = work == 0;
      Result<Analysis> analysis = Analyse({argv[i]}, options);
      if (analysis) findings += analysis->findings.size() + analysis->races.size();
    }
  }
  fmt::print("{} modules, each with three budgets: {} findings\n", argc - 2, findings);
  return 0;
}

int Main(int argc, char** argv) {
  if (argv[1] == std::string("--survive")) return Survive(argc, argv);
  Totals totals;
  for (int i = 2; i < argc; ++i) Compare(argv[i], &totals);
  fmt::print("{} programs: {} deadlock in {} ways, {} of them not reported; of the others {} proved free, {} alarms, {} not decided by the explorer\n",
             totals.programs, totals.deadlocking, totals.cycles, totals.missed, totals.proved, totals.alarms, totals.undecided);
  bool enough = totals.deadlocking >= static_cast<size_t>(std::stoul(argv[1])) && totals.proved > 0;
  if (!enough) fmt::print("too few to mean anything\n");
  return totals.missed == 0 && totals.broken == 0 && enough ? 0 : 1;
}

}  // namespace
}  // namespace heddle::deadlock

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: deadlock_random LEAST_DEADLOCKS PROGRAM.bc...\n");
    return 2;
  }
  return heddle::deadlock::Main(argc, argv);
}
