// The fixed point over contexts (docs/deadlock-design.md).
//
// Round: every thread's start function is entered with what holds there; a context that is entered for the first time,
// or whose callee's result changed, goes onto the work list; running it (context_run.h) gives its exit states, and a
// change wakes its callers. When the list is empty, acquisitions are collected, and from them which threads create
// which and what each leaves held or running. If that differs from what the round assumed, the next round begins with
// it.
//
// Ends: results only grow within a round; rounds are limited, and behind the limit one state stands for all, which
// cannot change. Invariant: what is held and what runs is a superset in every round that ends the loop; what is surely
// held is a subset. Tests: deadlock_test.cpp, tests/deadlock/mutate (a lock taken away or moved must be reported).
#include "deadlock/locksets/contexts.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/input/spin_locks.h"
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
  if (facts.entries().empty()) return;
  join_loops_.Find(*facts.entries()[0]->getParent(), facts);
  coroutines_.Find(*facts.entries()[0]->getParent());
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

void Locksets::EnterThread(OriginId origin, Function* start, std::vector<Binding> bindings, Entry from,
                           const State* creator) {
  State entry;
  const Origin& of = origins_[origin];
  if (handoffs_ != nullptr) {
    for (const auto& [token, handoff] : handoffs_->all()) {
      if (handoff.kind != HandoffKind::kLock) AddMust(&entry, {token, Mode::kWrite});
    }
    if (of.create != nullptr && RunsOnce(of)) AddMust(&entry, {facts_.points().LocOfThread(*of.create), Mode::kWrite});
    // What its creator knows it knows too.
    for (const MustLock& known : creator == nullptr ? std::vector<MustLock>{} : creator->must) {
      if (known.mode == Mode::kRead && IsHandoff(known.loc)) AddMust(&entry, known);
    }
  }
  if (of.create != nullptr && joined_under_lock_.count(origin) != 0) {
    MayLock end;
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

bool Locksets::DropSharedCoroutines() {
  std::map<const Function*, std::set<OriginId>> resumed;
  for (ContextId id = 0; id < contexts_.size(); ++id) {
    const Function* function = contexts_[id].function;
    if (!coroutines_.IsPart(function) || !coroutines_.Resumes(function)) continue;
    resumed[coroutines_.Of(function)].insert(context_origins_[id].begin(), context_origins_[id].end());
  }
  bool changed = false;
  for (const auto& [coroutine, origins] : resumed) {
    bool one = origins.size() == 1 && !Parallel(*origins.begin(), *origins.begin());
    if (!one) changed |= shared_coroutines_.insert(coroutine).second;
  }
  return changed;
}

// Lockset at creation: what the creator holds then, and all who created it agree, and what the creator itself lives
// under; without what the holder releases while the thread may run. A thread that has such a lock itself runs at no
// time at which this one does: the holder would have it.
void Locksets::FindInherited() {
  inherited_.assign(origins_.size(), {});
  if (sink_ == nullptr || detail_ != Detail::kContexts) return;
  std::map<OriginId, std::vector<const Birth*>> births;
  for (const Birth& birth : births_) births[birth.child].push_back(&birth);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [child, all] : births) {
      std::optional<std::set<Inherited>> common;
      for (const Birth* birth : all) {
        std::set<Inherited> here;
        const std::set<OriginId>& creators = context_origins_[birth->creator];
        if (creators.size() == 1) {
          here = inherited_[*creators.begin()];
          for (const MustLock& lock : birth->must) {
            if (!transfer_.IsThread(lock.loc) && !IsBroken(lock.loc) &&
                (handoffs_ == nullptr || !handoffs_->Has(lock.loc)))
              here.insert({lock.loc, lock.mode, *creators.begin()});
          }
        }
        if (common) std::erase_if(*common, [&](const Inherited& one) { return here.count(one) == 0; });
        if (!common) common = std::move(here);
      }
      for (const ReleaseOf& release : releases_) {
        if (release.running.count(child) == 0) continue;
        const std::set<OriginId>& who = context_origins_[release.context];
        std::erase_if(*common, [&](const Inherited& one) {
          return who.count(one.holder) != 0 && transfer_.Overlaps(one.lock, release.locks);
        });
      }
      for (const Inherited& one : *common) changed |= inherited_[child].insert(one).second;
    }
  }
}

// A variable in the shape of a lock is one if only its holder sets it free, and nobody else writes there: not even the
// number that is there when it is free, but for plain stores, which are from before it is used.
void Locksets::FindBrokenLocks() {
  const Function* lock = facts_.entries().empty() ? nullptr : facts_.entries()[0]->getParent()->getFunction(kSpinLock);
  if (sink_ == nullptr || lock == nullptr) return;
  PointsTo& points = facts_.points();
  std::set<LocId> spins;
  for (const auto& [loc, call] : locks_) {
    if (call->getCalledFunction() == lock) spins.insert(loc);
  }
  auto written = [&](const llvm::Value* address) {
    const LocSet& set = points.Of(address);
    for (LocId spin : spins) {
      if (set.empty() || transfer_.Overlaps(spin, set)) broken_.insert(spin);
    }
  };
  for (const Function& function : *lock->getParent()) {
    for (const llvm::Instruction& at : llvm::instructions(function)) {
      if (at.hasMetadata(kSpinAccess)) continue;
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&at);
      const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&at);
      bool plain = store != nullptr && !store->isAtomic();
      const auto* number = plain ? llvm::dyn_cast<llvm::Constant>(store->getValueOperand()) : nullptr;
      if (plain && (number != nullptr && number->isNullValue())) continue;
      if (store != nullptr) written(store->getPointerOperand());
      if (llvm::isa<llvm::AtomicRMWInst>(at) || llvm::isa<llvm::AtomicCmpXchgInst>(at)) written(at.getOperand(0));
      if (copy != nullptr) written(copy->getArgOperand(0));
    }
  }
  for (const auto& [call, state] : spin_releases_) {
    const LocSet set = points.Of(call->getArgOperand(0));
    for (LocId spin : spins) {
      const std::vector<MustLock>& must = states_[state].must;
      bool held = std::any_of(must.begin(), must.end(), [&](const MustLock& one) { return one.loc == spin; });
      if (!held && (set.empty() || transfer_.Overlaps(spin, set))) broken_.insert(spin);
    }
  }
}

void Locksets::Collect() {
  collecting_ = true;
  waits_.clear();
  ends_.clear();
  parallel_.clear();
  births_.clear();
  releases_.clear();
  spin_releases_.clear();
  handoff_releases_.clear();
  given_by_others_.clear();
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
    MayLock held;
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
    bool again = UpdateOrigins();
    again |= DropSharedCoroutines();
    again |= UpdateKnowledge();
    if (!again && jumped == jumped_) {
      FindBrokenLocks();
      FindReleasers();
      return FindInherited();
    }
    if (round + 3 < kMaxRounds) continue;
    for (Origin& origin : origins_) origin.leaves = origin.descendants;
  }
}

}  // namespace heddle::deadlock
