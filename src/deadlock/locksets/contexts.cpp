#include "deadlock/locksets/contexts.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/locksets/context_run.h"

namespace heddle::deadlock {

using llvm::Function;

namespace {

constexpr int kMaxRounds = 12;
constexpr size_t kMaxApart = 24;  // functions that one create may start, or that external code may call

}  // namespace

Locksets::Locksets(const Facts& facts, bool is_library, Budget budget)
    : facts_(facts), transfer_(facts), thread_objects_(facts), is_library_(is_library), budget_(budget) {
  FindUniverse();
  if (!facts.entries().empty()) join_loops_.Find(*facts.entries()[0]->getParent(), facts);
}

OriginId Locksets::OriginOf(const llvm::CallBase* create, Function* start, const std::string& note) {
  auto [place, fresh] = origin_index_.emplace(std::pair(create, start), static_cast<OriginId>(origins_.size()));
  if (fresh) {
    Origin origin;
    origin.create = create;
    origin.start = start;
    origin.note = note;
    origin.anytime = create == nullptr && note != "main";
    origins_.push_back(std::move(origin));
  }
  return place->second;
}

OriginId Locksets::OriginAmong(const llvm::CallBase* create, Function* start, const std::vector<Function*>& all,
                               const std::string& note) {
  if (all.size() <= kMaxApart) return OriginOf(create, start, note);
  OriginId id = OriginOf(create, all.front(), note);
  origins_[id].others = all.size() - 1;
  return id;
}

const std::vector<const llvm::CallBase*>& Locksets::CallsIn(const llvm::BasicBlock* block) {
  auto [place, fresh] = calls_.try_emplace(block);
  if (!fresh) return place->second;
  bool may_throw = !block->getParent()->doesNotThrow();
  for (const llvm::Instruction& instruction : *block) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->isInlineAsm()) continue;
    bool throws = may_throw && !call->doesNotThrow() && !llvm::isa<llvm::InvokeInst>(call);
    if (facts_.CallMatters(*call) || throws) place->second.push_back(call);
  }
  return place->second;
}

void Locksets::Enqueue(ContextId context) { work_.insert(context); }

ContextId Locksets::Enter(Function* function, std::vector<Binding> bindings, State entry, Entry from) {
  StateId state = states_.Intern(std::move(entry));
  std::vector<ContextId>& same = by_entry_[{function, state}];
  for (ContextId id : same) {
    if (contexts_[id].bindings == bindings) return id;
  }
  bool over = per_function_[function] >= budget_.contexts_per_function || contexts_.size() >= budget_.contexts;
  if (over) {
    coarse_.insert(function);
    auto found = merged_.find(function);
    if (found != merged_.end()) {
      Context& context = contexts_[found->second];
      StateId joined = states_.Join(context.entry, state);
      if (joined != context.entry) {
        context.entry = joined;
        Enqueue(found->second);
      }
      return found->second;
    }
    for (Binding& binding : bindings) binding.reset();
  }
  auto id = static_cast<ContextId>(contexts_.size());
  Context context;
  context.function = function;
  context.bindings = std::move(bindings);
  context.entry = state;
  context.first = from;
  context.merged = over;
  contexts_.push_back(std::move(context));
  if (over)
    merged_[function] = id;
  else
    same.push_back(id);
  ++per_function_[function];
  Enqueue(id);
  return id;
}

void Locksets::EnterThread(OriginId origin, Function* start, std::vector<Binding> bindings, Entry from) {
  State entry;
  const Origin& of = origins_[origin];
  if (of.create != nullptr && joined_under_lock_.count(origin) != 0) {
    HeldLock end;
    end.loc = facts_.points().LocOfThread(*of.create);
    entry.held.push_back(end);
  }
  if (of.create == nullptr && !of.anytime) {
    // Constructors of globals ran before: what they left running is there.
    for (const Origin& before : origins_) {
      if (before.create == nullptr && before.start != of.start && !before.anytime && of.start->getName() == "main") {
        for (OriginId left : before.leaves) AddLive(&entry, {left, true});
      }
    }
  }
  ContextId id = Enter(start, std::move(bindings), std::move(entry), from);
  contexts_[id].starts = origin;
  origins_[origin].contexts.insert(id);
}

void Locksets::Clear() {
  contexts_.clear();
  by_entry_.clear();
  per_function_.clear();
  merged_.clear();
  work_.clear();
  entered_.clear();
  creates_.clear();
  coarse_.clear();
  for (Origin& origin : origins_) origin.contexts.clear();
}

void Locksets::StartAll() {
  if (detail_ == Detail::kOneState) EnterTop();
  auto plain = [this](const Function* function) {
    return std::vector<Binding>(facts_.RelevantParameters(function).size());
  };
  for (Function* constructor : facts_.constructors()) {
    if (facts_.Matters(constructor))
      EnterThread(OriginOf(nullptr, constructor, "main"), constructor, plain(constructor), {});
  }
  for (Function* entry : facts_.entries()) {
    if (facts_.Matters(entry))
      EnterThread(OriginOf(nullptr, entry, is_library_ ? "any caller" : "main"), entry, plain(entry), {});
  }
  auto enter = [&](const std::set<Function*>& set, const char* note) {
    std::vector<Function*> functions(set.begin(), set.end());
    std::erase_if(functions, [this](Function* f) { return !facts_.Matters(f); });
    std::sort(functions.begin(), functions.end(), [](Function* a, Function* b) { return a->getName() < b->getName(); });
    for (Function* function : functions)
      EnterThread(OriginAmong(nullptr, function, functions, note), function, plain(function), {});
  };
  enter(facts_.points().signal_handlers(), "signal handler");
  enter(facts_.points().kept_callbacks(), "callback");
}

void Locksets::Iterate() {
  while (!work_.empty()) {
    ContextId id = *work_.rbegin();
    work_.erase(id);
    ContextRun run(*this, id);
    run.Run();
    if (Spent()) {
      Coarser(detail_ == Detail::kContexts ? Detail::kOneContext : Detail::kOneState);
      continue;
    }
    Context& context = contexts_[id];
    if (context.exit == run.exit() && context.unwind == run.unwind()) continue;
    context.exit = run.exit();
    context.unwind = run.unwind();
    if (states_.only_top()) continue;  // nobody waits for a result
    for (ContextId caller : context.callers) Enqueue(caller);
  }
}

std::set<OriginId> Locksets::Running(const State& state) const {
  std::set<OriginId> running;
  for (const LiveThread& thread : state.live) {
    running.insert(thread.origin);
    running.insert(origins_[thread.origin].descendants.begin(), origins_[thread.origin].descendants.end());
  }
  return running;
}

bool Locksets::Parallel(OriginId a, OriginId b) const {
  if (origins_[a].anytime || origins_[b].anytime) return true;
  return parallel_.count({a, b}) != 0 || parallel_.count({b, a}) != 0;
}

// Which threads may be in which context, and what they create there: 64 origins at a time, over the calls.
void Locksets::FindReach(std::vector<std::set<OriginId>>* created) {
  context_origins_.assign(contexts_.size(), {});
  created->assign(origins_.size(), {});
  constexpr OriginId kBits = 64;
  for (OriginId base = 0; base < origins_.size(); base += kBits) {
    std::vector<uint64_t> here(contexts_.size(), 0);
    std::vector<ContextId> work;
    auto add = [&](ContextId context, uint64_t bits) {
      if ((here[context] | bits) == here[context]) return;
      here[context] |= bits;
      work.push_back(context);
    };
    const OriginId end = std::min<OriginId>(base + kBits, static_cast<OriginId>(origins_.size()));
    for (OriginId id = base; id < end; ++id) {
      for (ContextId context : origins_[id].contexts) add(context, uint64_t{1} << (id - base));
    }
    while (!work.empty()) {
      ContextId context = work.back();
      work.pop_back();
      for (ContextId callee : contexts_[context].callees) add(callee, here[context]);
    }
    for (ContextId context = 0; context < contexts_.size(); ++context) {
      for (OriginId id = base; here[context] != 0 && id < end; ++id) {
        if ((here[context] >> (id - base) & 1) == 0) continue;
        context_origins_[context].insert(id);
        auto creates = creates_.find(context);
        if (creates != creates_.end()) (*created)[id].insert(creates->second.begin(), creates->second.end());
      }
    }
  }
}

// Recomputes who is where, and what threads create and leave; true when something changed.
bool Locksets::UpdateOrigins() {
  bool changed = false;
  std::vector<std::set<OriginId>> created;
  FindReach(&created);
  for (OriginId id = 0; id < origins_.size(); ++id) {
    for (OriginId child : created[id]) changed |= origins_[id].descendants.insert(child).second;
  }
  for (bool again = true; again;) {
    again = false;
    for (Origin& origin : origins_) {
      std::set<OriginId> more = origin.descendants;
      for (OriginId child : origin.descendants) {
        more.insert(origins_[child].descendants.begin(), origins_[child].descendants.end());
      }
      again |= more.size() != origin.descendants.size();
      changed |= more.size() != origin.descendants.size();
      origin.descendants = std::move(more);
    }
  }
  for (const ThreadEnd& end : ends_) {
    for (OriginId id : context_origins_[end.context]) {
      for (OriginId left : Running(states_[end.state])) changed |= origins_[id].leaves.insert(left).second;
    }
  }
  // A join matters for deadlocks if something is held there: a lock, or the end of a thread that somebody joins.
  std::set<LocId> joined;
  for (const Wait& wait : waits_) {
    if (wait.kind == WaitKind::kJoin) joined.insert(wait.locks.begin(), wait.locks.end());
  }
  auto somebody_joins = [&](OriginId id) {
    return origins_[id].create != nullptr && joined.count(facts_.points().LocOfThread(*origins_[id].create)) != 0;
  };
  for (const Wait& wait : waits_) {
    if (wait.kind != WaitKind::kJoin) continue;
    const std::set<OriginId>& here = context_origins_[wait.context];
    if (states_[wait.before].held.empty() && std::none_of(here.begin(), here.end(), somebody_joins)) continue;
    for (OriginId id = 0; id < origins_.size(); ++id) {
      if (origins_[id].create == nullptr) continue;
      LocId end = facts_.points().LocOfThread(*origins_[id].create);
      bool waits = std::find(wait.locks.begin(), wait.locks.end(), end) != wait.locks.end();
      if (waits) changed |= joined_under_lock_.insert(id).second;
    }
  }
  return changed;
}

void Locksets::Collect() {
  collecting_ = true;
  waits_.clear();
  ends_.clear();
  parallel_.clear();
  if (sink_ != nullptr) sink_->NewRound();
  for (ContextId id = 0; id < contexts_.size(); ++id) ContextRun(*this, id).Run();
  collecting_ = false;
  work_.clear();
}

bool Locksets::HandlerJumps() const {
  std::set<const Function*> seen;
  std::vector<const Function*> work(facts_.points().signal_handlers().begin(), facts_.points().signal_handlers().end());
  while (!work.empty()) {
    const Function* function = work.back();
    work.pop_back();
    if (!seen.insert(function).second) continue;
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->isInlineAsm()) continue;
      const CallMeaning& meaning = facts_.Meaning(*call);
      auto jumps = [](const Primitive* p) { return p != nullptr && p->action == Action::kLongjmp; };
      if (jumps(meaning.primitive) || std::any_of(meaning.others.begin(), meaning.others.end(), jumps)) return true;
      work.insert(work.end(), meaning.callees.begin(), meaning.callees.end());
      work.insert(work.end(), meaning.callbacks.begin(), meaning.callbacks.end());
    }
  }
  return false;
}

// The jump may come from any place of the thread that has called setjmp: every lock may be held, every thread run.
void Locksets::JumpFromAnywhere() {
  State jump;
  jump.most = State::kManyHeld;
  for (const auto& [loc, call] : locks_) {
    HeldLock held;
    held.loc = loc;
    held.site = call;
    held.order = facts_.OrderOf(*call);
    AddHeld(&jump, held);
  }
  for (OriginId id = 0; id < origins_.size(); ++id) {
    if (origins_[id].create != nullptr) AddLive(&jump, {id, true});
  }
  jumped_ = states_.Join(jumped_, states_.Intern(std::move(jump)));
}

void Locksets::Run() {
  handler_jumps_ = HandlerJumps();
  for (int round = 0;; ++round) {
    // Not stable soon: with one state it is, since what threads create no longer depends on anything.
    if (round == kMaxRounds) Coarser(Detail::kOneState);
    Clear();
    done_ = 0;
    StateId jumped = jumped_;
    StartAll();
    Iterate();
    Collect();
    if (handler_jumps_) JumpFromAnywhere();
    if (!UpdateOrigins() && jumped == jumped_) return;
    if (round + 3 < kMaxRounds) continue;
    for (Origin& origin : origins_) origin.leaves = origin.descendants;
  }
}

}  // namespace heddle::deadlock
