#include <fmt/format.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/duration.h"
#include "base/file.h"
#include "deadlock/cycles/describe.h"
#include "deadlock/cycles/lock_graph.h"
#include "deadlock/cycles/names.h"
#include "deadlock/deadlock.h"
#include "deadlock/declared/check.h"
#include "deadlock/input/hidden_calls.h"
#include "deadlock/input/input.h"
#include "deadlock/input/normalise.h"
#include "deadlock/input/other_waits.h"
#include "deadlock/input/source_code.h"
#include "deadlock/pointers/relevance.h"
#include "deadlock/races/prune_list.h"
#include "deadlock/races/races.h"

namespace heddle::deadlock {
namespace {

constexpr int64_t kMutexBytes = 40;

class StageClock {
 public:
  explicit StageClock(std::vector<StageCost>* out) : out_(out), start_(MonotonicSeconds()) {}

  void End(const std::string& name, std::string note) {
    double now = MonotonicSeconds();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    out_->push_back({name, now - start_, static_cast<uint64_t>(usage.ru_maxrss), std::move(note)});
    start_ = now;
  }

 private:
  std::vector<StageCost>* out_;
  double start_;
};

// The accesses of the lockset stage, and the races among them.
class RaceStage {
 public:
  RaceStage(const llvm::Module& module, const Declarations& declarations, const Facts& facts, Locksets& locksets)
      : module_(module), declarations_(declarations), facts_(facts), locksets_(locksets) {}

  void Prepare() {
    sharing_ = std::make_unique<Sharing>(module_, facts_);
    guards_ = std::make_unique<Guards>(facts_);
    log_ = std::make_unique<AccessLog>(locksets_, *sharing_, *guards_);
    handoffs_ = std::make_unique<Handoffs>(module_, facts_, [this](ObjectId id) { return sharing_->Touched(id); });
    locksets_.UseSink(log_.get());
    locksets_.UseHandoffs(handoffs_.get());
  }

  Status Finish(const Options& options, Analysis* analysis, StageClock* clock) {
    log_->Finish();
    Races races(locksets_, *log_, *handoffs_);
    for (const Race& race : races.races()) {
      if (analysis->races.size() < options.max_races) {
        analysis->races.push_back(Describe(locksets_, *log_, race));
      } else {
        ++analysis->more_races;
      }
    }
    analysis->undeclared = DeclarationCheck(declarations_, locksets_, *log_, *guards_).Run();
    analysis->shared_accesses = races.shared_accesses();
    analysis->unknown_accesses = log_->unknown().size();
    analysis->unseen_functions.assign(sharing_->unseen().begin(), sharing_->unseen().end());
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
  const Declarations& declarations_;
  const Facts& facts_;
  Locksets& locksets_;
  std::unique_ptr<Sharing> sharing_;
  std::unique_ptr<Guards> guards_;
  std::unique_ptr<AccessLog> log_;
  std::unique_ptr<Handoffs> handoffs_;
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
        fmt::format("{} external functions, of which nothing is known, do not lock or unlock themselves what they "
                    "are given: {}",
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
      list.push_back("functions that external code gets hold of are called by any thread at any time");
      break;
    }
  }
  return list;
}

// Locks whose address a function gets that nothing is known about: it may be a lock operation.
std::vector<std::string> GivenAway(const llvm::Module& module, const Locksets& locksets) {
  PointsTo& points = locksets.facts().points();
  std::set<std::string> calls;
  auto is_lock = [&](LocId loc) {
    // A variable that is a mutex, or a member that is one: what merely begins with one is the caller's own structure.
    bool whole = points.locations().loc(loc).offset != 0 || points.locations().object_of(loc).size == kMutexBytes;
    return whole && locksets.locks().count(loc) != 0;
  };
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || !points.CallsOutside(*call)) continue;
      if (points.unknown_externals().count(callee->getName().str()) == 0 || points.stats().gave_up) continue;
      for (const llvm::Value* argument : call->args()) {
        if (!argument->getType()->isPointerTy()) continue;
        const LocSet& set = points.Of(argument);
        if (!set.empty() && std::all_of(set.begin(), set.end(), is_lock)) calls.insert(callee->getName().str());
      }
    }
  }
  return {calls.begin(), calls.end()};
}

// What a proof would have to follow and the analysis does not.
void AddOtherWaits(const llvm::Module& module, const Facts& facts, Analysis* analysis) {
  const Primitives& primitives = facts.primitives();
  auto assume = [analysis](std::string what) {
    analysis->assumptions.push_back(std::move(what));
    analysis->proved = false;
  };
  std::vector<std::string> waits = OtherWaits(module, primitives);
  if (!waits.empty()) assume("waits other than for locks and ends of threads come to an end: " + Some(waits));
  if (module.getFunction("pthread_rwlockattr_setkind_np") != nullptr)
    assume("readers of read-write locks do not wait for writers that wait (pthread_rwlockattr_setkind_np)");
  auto uses = [&module](const char* name) {
    const llvm::Function* function = module.getFunction(name);
    return function != nullptr && !function->use_empty();
  };
  if (!facts.unknown_calls().empty()) {
    std::vector<std::string> places;
    for (const llvm::CallBase* call : facts.unknown_calls()) places.push_back(ShortPlace(PlaceOf(*call).front()));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    assume("calls through pointers of which nothing is known lead to no lock: " + Some(places));
  }
  if (facts.points().mixed_addresses() > 0) assume("no lock has an address that is computed by exclusive or");
  if (uses("pthread_cancel")) assume("a thread that is cancelled holds no lock (pthread_cancel)");
  for (const char* name : {"fork", "_Fork", "forkpty", "daemon", "clone"}) {
    if (uses(name)) assume(fmt::format("a child process waits for no lock that another thread held ({})", name));
  }
  if (module.getNamedMetadata(kOwnAllocation) != nullptr)
    assume("the C library does not call the program's own allocation functions under a lock");
}

void AddRaceAssumptions(const Locksets& locksets, Analysis* analysis) {
  const auto& unknown = locksets.facts().points().unknown_externals();
  if (!unknown.empty()) {
    analysis->assumptions.push_back(
        fmt::format("what {} external functions do to the memory they are given does not race: {}", unknown.size(),
                    Some({unknown.begin(), unknown.end()})));
  }
  if (!analysis->unseen_functions.empty()) {
    analysis->assumptions.push_back(
        fmt::format("what {} library functions do to the memory they are given does not race: {}",
                    analysis->unseen_functions.size(), Some(analysis->unseen_functions)));
  }
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

// What both kinds of findings are made from, up to the locksets.
class Stages {
 public:
  Stages(const Program& program, const Primitives& primitives, const Options& options, bool races, StageClock* clock) {
    llvm::Module& module = *program.module;
    if (options.dependency_cut && !races) {
      relevance_ = std::make_unique<Relevance>(module, primitives);
      clock->End("dependencies",
                 fmt::format("{} of {} values matter", relevance_->relevant_values(), relevance_->values()));
    }
    points_ = std::make_unique<PointsTo>(module, primitives, program.is_library, relevance_.get());
    points_->Solve(options.pointer_work == 0 ? PointsTo::kBudget : options.pointer_work);
    const PointsToStats& solved = points_->stats();
    clock->End("pointers", fmt::format("{} nodes, {} objects, {} constraints ({} cut), {} waves, {} steps",
                                       solved.nodes, points_->locations().objects(), solved.constraints, solved.dropped,
                                       solved.waves, solved.work));
    Restart(program, primitives, options, races, races);
    clock->End("threads and calls", "");
  }

  // Makes facts and locksets, on the same pointers. With `accessed`, contexts tell apart what is accessed through
  // parameters: for programs that are small enough for it.
  void Restart(const Program& program, const Primitives& primitives, const Options& options, bool races,
               bool accessed) {
    constexpr uint64_t kShare = 4;
    locksets_.reset();
    facts_ = std::make_unique<Facts>(*program.module, primitives, *points_, program.is_library, races, accessed);
    Budget budget;
    budget.contexts_per_function = options.contexts_per_function;
    if (options.lockset_work != 0) budget.work = options.lockset_work;
    if (accessed) budget.work /= kShare;
    locksets_ = std::make_unique<Locksets>(*facts_, program.is_library, budget);
  }

  const Facts& facts() const { return *facts_; }
  Locksets& locksets() { return *locksets_; }

  void NoteLocksets(StageClock* clock) const {
    clock->End("locksets",
               fmt::format("{} contexts, {} states, {} threads, {} steps on level {}", locksets_->contexts().size(),
                           locksets_->states().size(), locksets_->origins().size(), locksets_->steps(),
                           static_cast<int>(locksets_->detail())));
  }

 private:
  std::unique_ptr<Relevance> relevance_;
  std::unique_ptr<PointsTo> points_;
  std::unique_ptr<Facts> facts_;
  std::unique_ptr<Locksets> locksets_;
};

// How many locks one place of the cycle may mean, at most.
size_t Names(const Locations& locations, const Cycle& cycle) {
  size_t most = 1;
  auto count = [&](LocId loc) { most = std::max(most, locations.object_of(loc).members.size()); };
  for (const Edge* edge : cycle.edges) {
    count(edge->held);
    count(edge->want);
  }
  if (cycle.end != nullptr) count(cycle.leaked.loc);
  return most;
}

// Lists the best cycles. Those through locks that were not told apart say little more than that there are locks: they
// are only counted, and if there is nothing else, nothing was decided.
void ListCycles(const Locksets& locksets, const LockGraph& graph, const Options& options, Analysis* analysis) {
  const size_t most = options.max_findings == 0 ? SIZE_MAX : options.max_findings;
  const size_t names = options.max_names == 0 ? SIZE_MAX : options.max_names;
  size_t vague = 0, more = 0;
  for (const Cycle& cycle : graph.cycles()) {
    if (Names(locksets.facts().points().locations(), cycle) > names) {
      ++vague;
    } else if (analysis->findings.size() < most) {
      analysis->findings.push_back(Describe(locksets, cycle));
    } else {
      ++more;
    }
  }
  if (more > 0) {
    analysis->assumptions.push_back(
        fmt::format("{} more cycles, no better than these, are not listed (--max-findings 0 lists all)", more));
  }
  if (vague > 0) {
    analysis->undecided.push_back(
        fmt::format("{} cycles go through places that may mean more than {} locks; --all lists them", vague, names));
  }
}

void DeadlockStage(const Program& program, const Options& options, const Locksets& locksets, Analysis* analysis,
                   StageClock* clock) {
  LockGraph graph(locksets);
  clock->End("lock graph", fmt::format("{} edges, {} components, {} checks, {} cycles", graph.stats().edges,
                                       graph.stats().components, graph.stats().checks, graph.cycles().size()));
  const PointsTo& points = locksets.facts().points();
  analysis->assumptions = Assumptions(program, locksets, graph);
  analysis->proved = points.unknown_externals().empty() && points.inline_assembly() == 0;
  AddOtherWaits(*program.module, locksets.facts(), analysis);
  std::vector<std::string> given = GivenAway(*program.module, locksets);
  if (!given.empty()) {
    analysis->undecided.push_back(
        "nothing is known about functions that are given locks; say what they do with --table: " + Some(given));
  }
  ListCycles(locksets, graph, options, analysis);
  analysis->locks = locksets.locks().size();
  std::set<const llvm::CallBase*> operations;
  for (const Wait& wait : locksets.waits()) {
    if (wait.kind != WaitKind::kTry) operations.insert(wait.call);
  }
  analysis->lock_operations = operations.size();
  analysis->unknown_operations = locksets.unresolved().size();
  analysis->threads = locksets.origins().size();
  analysis->contexts = locksets.contexts().size();
  analysis->edges = graph.stats().edges;
  analysis->complete = locksets.coarse().empty() && locksets.unresolved().empty() && graph.stats().complete &&
                       locksets.states().blurred() == 0 && !points.stats().gave_up;
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
  analysis.source = SourceCodeOf(module);
  const Declarations declarations = TakeDeclarations(module);
  analysis.attributes_not_understood = declarations.not_understood;
  clock.End("input", fmt::format("{} instructions", program->instructions));

  Normalise(module, primitives, program->is_library);
  clock.End("normalise", fmt::format("{} instructions", module.getInstructionCount()));

  {
    // Races need every function and every value; deadlocks are looked for alike with and without them.
    Stages stages(*program, primitives, options, false, &clock);
    stages.locksets().Run();
    stages.NoteLocksets(&clock);
    DeadlockStage(*program, options, stages.locksets(), &analysis, &clock);
  }
  if (options.races) {
    Stages stages(*program, primitives, options, true, &clock);
    auto races = std::make_unique<RaceStage>(module, declarations, stages.facts(), stages.locksets());
    races->Prepare();
    stages.locksets().Run();
    stages.NoteLocksets(&clock);
    if (stages.locksets().detail() != Detail::kContexts || !stages.locksets().coarse().empty()) {
      stages.Restart(*program, primitives, options, true, false);
      races = std::make_unique<RaceStage>(module, declarations, stages.facts(), stages.locksets());
      races->Prepare();
      stages.locksets().Run();
      stages.NoteLocksets(&clock);
    }
    Status done = races->Finish(options, &analysis, &clock);
    if (!done) return done.error();
    AddRaceAssumptions(stages.locksets(), &analysis);
  }
  clock.End("report", "");
  return analysis;
}

}  // namespace heddle::deadlock
