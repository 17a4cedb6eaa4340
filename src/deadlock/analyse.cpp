#include <fmt/format.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>

#include "base/file.h"
#include "deadlock/deadlock.h"
#include "deadlock/describe.h"
#include "deadlock/input.h"
#include "deadlock/lock_graph.h"
#include "deadlock/names.h"
#include "deadlock/normalise.h"
#include "deadlock/prune_list.h"
#include "deadlock/races.h"
#include "deadlock/relevance.h"

namespace heddle::deadlock {
namespace {

class StageClock {
 public:
  explicit StageClock(std::vector<StageCost>* out) : out_(out), start_(Now()) {}

  void End(const std::string& name, std::string note) {
    double now = Now();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    out_->push_back({name, now - start_, static_cast<uint64_t>(usage.ru_maxrss), std::move(note)});
    start_ = now;
  }

 private:
  static double Now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }
  std::vector<StageCost>* out_;
  double start_;
};

// The accesses of the lockset stage, and the races among them.
class RaceStage {
 public:
  RaceStage(const llvm::Module& module, const Facts& facts, Locksets& locksets)
      : module_(module), facts_(facts), locksets_(locksets) {}

  void Prepare() {
    sharing_ = std::make_unique<Sharing>(module_, facts_);
    guards_ = std::make_unique<Guards>(facts_);
    log_ = std::make_unique<AccessLog>(locksets_, *sharing_, *guards_);
    locksets_.UseSink(log_.get());
  }

  Status Finish(const Options& options, Analysis* analysis, StageClock* clock) {
    log_->Finish();
    Races races(locksets_, *log_);
    for (const Race& race : races.races()) {
      if (analysis->races.size() < options.max_races) {
        analysis->races.push_back(Describe(locksets_, *log_, race));
      } else {
        ++analysis->more_races;
      }
    }
    analysis->shared_accesses = races.shared_accesses();
    analysis->unknown_accesses = log_->unknown().size();
    analysis->undecided_objects = races.undecided();
    if (options.prune_list) {
      PruneList list = MakePruneList(module_, *log_, races);
      if (!list.missing_file.empty()) {
        return MakeError(
            ErrorCode::kBadInput,
            list.missing_file + ": the debug info has no checksum of it, so no list can be made (-gdwarf-5)");
      }
      analysis->prune_list = std::move(list.text);
      analysis->pruned_accesses = list.accesses;
      analysis->all_accesses = list.all_accesses;
    }
    clock->End("races", fmt::format("{} shared accesses, {} instructions race, {} variables", races.shared_accesses(),
                                    races.racing().size(), races.races().size()));
    return {};
  }

 private:
  const llvm::Module& module_;
  const Facts& facts_;
  Locksets& locksets_;
  std::unique_ptr<Sharing> sharing_;
  std::unique_ptr<Guards> guards_;
  std::unique_ptr<AccessLog> log_;
};

std::string Some(const std::vector<std::string>& names) {
  constexpr size_t kShown = 12;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kShown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

std::vector<std::string> Assumptions(const Program& program, const Locksets& locksets, const LockGraph& graph) {
  std::vector<std::string> list;
  const PointsTo& points = locksets.facts().points();
  if (program.is_library)
    list.push_back("there is no main: every exported function may be called by any thread at any time");
  if (!program.has_debug_info) list.push_back("there is no debug info: places are functions, locks are symbols");
  const auto& unknown = points.unknown_externals();
  if (!unknown.empty()) {
    list.push_back(
        fmt::format("{} external functions neither lock nor create threads, and call back only what they are given: {}",
                    unknown.size(), Some({unknown.begin(), unknown.end()})));
  }
  if (points.inline_assembly() > 0)
    list.push_back(fmt::format("inline assembly in {} places locks nothing", points.inline_assembly()));
  std::vector<std::string> places;
  for (const llvm::CallBase* call : locksets.unresolved()) places.push_back(ShortPlace(PlaceOf(*call).front()));
  std::sort(places.begin(), places.end());
  if (!places.empty())
    list.push_back("nothing is known about the lock at, so it may be any of its kind: " + Some(places));
  if (!locksets.coarse().empty()) {
    list.push_back(
        fmt::format("calls of {} functions were joined, the budget of contexts was used up", locksets.coarse().size()));
  }
  if (locksets.states().blurred() > 0)
    list.push_back("where too many locks may be held to tell them apart, any lock may be held");
  if (points.stats().joined > 0) {
    list.push_back(fmt::format("{} pointers that may point nearly anywhere were taken together, with whole objects",
                               points.stats().joined));
  }
  if (points.stats().gave_up) {
    list.push_back(
        "not decided: what pointers point to, the budget was used up. One that is not plainly the address of a "
        "variable "
        "may point to every object");
  }
  if (locksets.detail() == Detail::kOneState) {
    list.push_back(
        "not decided: which locks are held where, the budget was used up. Any lock may be held, and any thread run, "
        "everywhere");
  } else if (locksets.detail() == Detail::kOneContext) {
    list.push_back("not decided: which locks are held where, the budget was used up. Locks that are held are one lock");
  }
  if (!graph.stats().complete) list.push_back("a group of locks has too many cycles to list them all");
  for (const Origin& origin : locksets.origins()) {
    if (origin.note == "callback") {
      list.push_back("functions that external code keeps may be called by any thread at any time");
      break;
    }
  }
  return list;
}

void AddRaceAssumptions(Analysis* analysis) {
  if (analysis->unknown_accesses > 0) {
    analysis->assumptions.push_back(fmt::format("{} accesses through pointers that nothing is known about do not race",
                                                analysis->unknown_accesses));
  }
  if (analysis->undecided_objects > 0) {
    analysis->assumptions.push_back(
        fmt::format("not decided: which accesses to {} objects race, the budget was used up. All of them may",
                    analysis->undecided_objects));
    analysis->complete = false;
  }
}

}  // namespace

Result<Analysis> Analyse(const std::vector<std::string>& paths, const Options& options) {
  Analysis analysis;
  StageClock clock(&analysis.stages);
  Primitives primitives(options.semaphores);
  for (const std::string& table : options.tables) {
    Result<std::string> text = ReadFile(table);
    if (!text) return text.error();
    Status added = primitives.Add(table, *text);
    if (!added) return added.error();
  }
  Result<Program> program = LoadProgram(paths, options.main_file);
  if (!program) return program.error();
  llvm::Module& module = *program->module;
  analysis.instructions = program->instructions;
  clock.End("input", fmt::format("{} instructions", program->instructions));

  Normalise(module, primitives, program->is_library);
  clock.End("normalise", fmt::format("{} instructions", module.getInstructionCount()));

  std::unique_ptr<Relevance> relevance;
  if (options.dependency_cut && !options.races) {
    relevance = std::make_unique<Relevance>(module, primitives);
    clock.End("dependencies", fmt::format("{} of {} values matter", relevance->relevant_values(), relevance->values()));
  }
  PointsTo points(module, primitives, program->is_library, relevance.get());
  points.Solve(options.pointer_work == 0 ? PointsTo::kBudget : options.pointer_work);
  const PointsToStats& solved = points.stats();
  clock.End("pointers",
            fmt::format("{} nodes, {} objects, {} constraints ({} cut), {} waves, {} steps", solved.nodes,
                        points.locations().objects(), solved.constraints, solved.dropped, solved.waves, solved.work));

  Facts facts(module, primitives, points, program->is_library, options.races);
  clock.End("threads and calls", "");

  Budget budget;
  budget.contexts_per_function = options.contexts_per_function;
  if (options.lockset_work != 0) budget.work = options.lockset_work;
  Locksets locksets(facts, program->is_library, budget);
  RaceStage races(module, facts, locksets);
  if (options.races) races.Prepare();
  locksets.Run();
  clock.End("locksets", fmt::format("{} contexts, {} states, {} threads, {} steps on level {}",
                                    locksets.contexts().size(), locksets.states().size(), locksets.origins().size(),
                                    locksets.steps(), static_cast<int>(locksets.detail())));

  LockGraph graph(locksets);
  clock.End("lock graph", fmt::format("{} edges, {} components, {} checks, {} cycles", graph.stats().edges,
                                      graph.stats().components, graph.stats().checks, graph.cycles().size()));
  const size_t listed = std::min(graph.cycles().size(), options.max_findings == 0 ? SIZE_MAX : options.max_findings);
  for (size_t i = 0; i < listed; ++i) analysis.findings.push_back(Describe(locksets, graph.cycles()[i]));
  if (options.races) {
    Status done = races.Finish(options, &analysis, &clock);
    if (!done) return done.error();
  }
  analysis.assumptions = Assumptions(*program, locksets, graph);
  if (listed < graph.cycles().size()) {
    analysis.assumptions.push_back(
        fmt::format("{} more cycles, no better than these, are not listed (--max-findings 0 lists all)",
                    graph.cycles().size() - listed));
  }
  AddRaceAssumptions(&analysis);
  analysis.locks = locksets.locks().size();
  std::set<const llvm::CallBase*> operations;
  for (const Wait& wait : locksets.waits()) {
    if (wait.kind != WaitKind::kTry) operations.insert(wait.call);
  }
  analysis.lock_operations = operations.size();
  analysis.unknown_operations = locksets.unresolved().size();
  analysis.threads = locksets.origins().size();
  analysis.contexts = locksets.contexts().size();
  analysis.edges = graph.stats().edges;
  analysis.complete = analysis.complete && locksets.coarse().empty() && locksets.unresolved().empty() &&
                      graph.stats().complete && locksets.states().blurred() == 0 && !points.stats().gave_up;
  clock.End("report", "");
  return analysis;
}

}  // namespace heddle::deadlock
