// Abstract interpretation of one function: a state for each block, joined where ways meet, until nothing changes.
//
// In a block only calls matter: locks and unlocks change the state (transfer.h), creates and joins the set of running
// threads, calls of the program's own functions enter their context with the locks the caller holds and go on with what
// that context left so far (nothing, when it has no result yet: the callee's first result wakes this context again). A
// branch on a return value says on which edge a lock was got (Refined). Joined states keep every lock that may be held
// and only the locks that surely are.
#include "deadlock/locksets/context_run.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace heddle::deadlock {

using llvm::BasicBlock;
using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Function;

ContextRun::ContextRun(Locksets& all, ContextId id)
    : all_(all),
      id_(id),
      function_(all.contexts_[id].function),
      context_(all.contexts_[id]),
      evaluator_(all.facts_, context_) {}

void ContextRun::Run() {
  in_[&function_->getEntryBlock()] = context_.entry;
  work_.push_back(&function_->getEntryBlock());
  while (!work_.empty()) {
    if (all_.Spent()) return;  // what was found so far is thrown away
    const BasicBlock* block = work_.back();
    work_.pop_back();
    RunBlock(block);
  }
  for (const auto& [at, state] : accesses_) all_.sink_->Note(id_, *at, state, evaluator_);
  if (context_.starts && exit_ != kNoState) End(function_->back().back(), exit_);
  // pthread_exit unwinds to here. Without one, an exception that comes so far ends the program.
  if (context_.starts && unwind_ != kNoState && all_.facts_.ends_by_unwinding()) End(function_->back().back(), unwind_);
}

void ContextRun::Flow(const BasicBlock* from, const BasicBlock* to, StateId state) {
  if (state == kNoState) return;
  const std::vector<const CallBase*>& joined = all_.join_loops_.JoinedOnEdge(from, to);
  if (!joined.empty()) {
    State after = all_.states_[state];
    const std::vector<LiveThread>& before = all_.states_[context_.entry].live;
    for (const CallBase* create : joined) {
      // Threads from there that ran when the function was called are not those of its loop.
      bool older = std::any_of(before.begin(), before.end(),
                               [&](const LiveThread& thread) { return all_.origins_[thread.origin].create == create; });
      if (older) continue;
      std::vector<OriginId> left;
      std::erase_if(after.live, [&](const LiveThread& thread) {
        if (all_.origins_[thread.origin].create != create) return false;
        left.insert(left.end(), all_.origins_[thread.origin].leaves.begin(), all_.origins_[thread.origin].leaves.end());
        return true;
      });
      for (OriginId id : left) AddLive(&after, {id, true});
    }
    state = all_.states_.Intern(std::move(after));
  }
  auto [place, fresh] = in_.try_emplace(to, state);
  if (!fresh) {
    StateId before = place->second;
    StateId merged = all_.states_.Join(before, state);
    if (merged == before) return;
    in_[to] = merged;
  }
  if (std::find(work_.begin(), work_.end(), to) == work_.end()) work_.push_back(to);
}

void ContextRun::RunBlock(const BasicBlock* block) {
  StateId state = in_[block];
  all_.done_ += 1 + all_.states_[state].held.size();
  if (!all_.states_[state].held.empty()) {
    State redefined = all_.states_[state];
    all_.transfer_.Redefine(&redefined, block);
    state = all_.states_.Intern(std::move(redefined));
  }
  const llvm::Instruction* passed = &block->front();
  for (const CallBase* call : all_.CallsIn(block)) {
    state = Goes(passed, call, state);
    state = Suspends(passed, call, state);
    passed = call;
    if (llvm::isa<llvm::InvokeInst>(call)) break;  // the terminator
    Outcome outcome = Apply(*call, state);
    unwind_ = all_.states_.Join(unwind_, outcome.unwind);
    if (outcome.normal == kNoState) return;
    state = outcome.normal;
  }
  state = Goes(passed, nullptr, state);
  state = Suspends(passed, nullptr, state);
  Leave(*block->getTerminator(), state);
}

void ContextRun::Passes(const llvm::Instruction* first, const llvm::Instruction* end, StateId state) {
  if (!all_.collecting_ || all_.sink_ == nullptr) return;
  for (const llvm::Instruction* at = first; at != end; at = at->getNextNode()) {
    if (at->mayReadOrWriteMemory()) accesses_[at] = state;
  }
}

StateId ContextRun::Suspends(const llvm::Instruction* first, const llvm::Instruction* end, StateId state) {
  if (!all_.coroutines_.IsPart(function_) || all_.states_.only_top()) return state;
  for (const llvm::Instruction* at = first; at != end; at = at->getNextNode()) {
    std::optional<Coroutines::Store> store = all_.coroutines_.StoreAt(*at);
    if (!store) continue;
    const LocSet cells = evaluator_.Of(store->address);
    bool one = cells.size() == 1 && all_.facts_.Single(cells[0]) &&
               all_.shared_coroutines_.count(all_.coroutines_.Of(function_)) == 0;
    State after = all_.states_[state];
    if (one) {
      SetSuspended(&after, {cells[0], store->point});
    } else {
      std::erase_if(after.suspended,
                    [&](const Suspended& known) { return cells.empty() || all_.transfer_.Overlaps(known.at, cells); });
    }
    state = all_.states_.Intern(std::move(after));
  }
  return state;
}

bool ContextRun::StandsElsewhere(const llvm::Instruction& terminator, unsigned successor, StateId state) {
  if (all_.states_[state].suspended.empty()) return false;
  const llvm::Value* address = all_.coroutines_.DecidesBy(terminator);
  const LocSet cells = address == nullptr ? LocSet{} : evaluator_.Of(address);
  if (cells.size() != 1) return false;
  for (const Suspended& known : all_.states_[state].suspended) {
    if (known.at != cells[0]) continue;
    std::optional<unsigned> taken = Coroutines::Taken(terminator, known.point);
    return taken && *taken != successor;
  }
  return false;
}

void ContextRun::Leave(const llvm::Instruction& terminator, StateId state) {
  const BasicBlock* block = terminator.getParent();
  if (const auto* invoke = dyn_cast<llvm::InvokeInst>(&terminator)) {
    Outcome outcome = all_.facts_.CallMatters(*invoke) ? Apply(*invoke, state) : Outcome{state, state};
    if (all_.handoffs_ != nullptr && all_.handoffs_->IsEvent(invoke)) {
      if (outcome.normal != kNoState) outcome.normal = HandsOver(*invoke, outcome.normal);
      if (outcome.unwind != kNoState) outcome.unwind = HandsOver(*invoke, outcome.unwind);
    }
    Flow(block, invoke->getNormalDest(), outcome.normal);
    Flow(block, invoke->getUnwindDest(), outcome.unwind);
    return;
  }
  if (const auto* ret = dyn_cast<llvm::ReturnInst>(&terminator)) {
    State left = all_.states_[state];
    std::vector<MayLock> held;
    for (MayLock lock : left.held) {
      std::optional<bool> tested;
      if (lock.pending != nullptr && ret->getReturnValue() != nullptr)
        tested = Tests(ret->getReturnValue(), lock.pending);
      lock.pending = tested ? function_ : nullptr;  // the function stands for its result
      if (tested && !*tested) lock.when_nonzero = !lock.when_nonzero;
      held.push_back(lock);
    }
    left.held.clear();
    for (const MayLock& lock : held) AddHeld(&left, lock);
    exit_ = all_.states_.Join(exit_, all_.states_.Intern(std::move(left)));
    return;
  }
  if (llvm::isa<llvm::ResumeInst>(terminator)) {
    unwind_ = all_.states_.Join(unwind_, state);
    return;
  }
  for (unsigned i = 0; i < terminator.getNumSuccessors(); ++i) {
    if (StandsElsewhere(terminator, i, state)) continue;
    StateId next = Refined(terminator, i, state);
    const auto* branch = dyn_cast<llvm::BranchInst>(&terminator);
    if (next != kNoState && branch != nullptr && branch->isConditional())
      next = Made(*branch->getCondition(), i == 0, next);
    if (next != kNoState && branch != nullptr && branch->isConditional() && all_.handoffs_ != nullptr) {
      LocId flag = all_.handoffs_->SeenOn(*branch->getCondition(), i == 0);
      if (flag != kNoLoc) {
        State known = all_.states_[next];
        AddMust(&known, {flag, Mode::kRead});
        next = all_.states_.Intern(std::move(known));
      }
    }
    Flow(block, terminator.getSuccessor(i), next);
  }
}

// The call whose result is compared with zero.
static const CallBase* TestedCall(const llvm::Value* value) {
  if (const auto* compare = dyn_cast<llvm::ICmpInst>(value)) value = compare->getOperand(0);
  while (llvm::isa<llvm::ZExtInst>(value) || llvm::isa<llvm::SExtInst>(value) || llvm::isa<llvm::FreezeInst>(value)) {
    value = llvm::cast<llvm::User>(value)->getOperand(0);
  }
  return dyn_cast<CallBase>(value);
}

// On this edge a lock or an unlock has failed which cannot: that of a normal mutex, used as it must be.
bool ContextRun::Fails(const llvm::Value& condition, bool outcome) {
  const CallBase* call = TestedCall(&condition);
  if (call == nullptr || !all_.facts_.CannotFail(*call)) return false;
  std::optional<bool> is = Tests(&condition, call);
  if (!is || outcome != *is) return false;
  const LocSet locks = evaluator_.Of(call->getArgOperand(0));
  return !locks.empty() && std::all_of(locks.begin(), locks.end(), [&](LocId loc) {
    LockKinds kinds = all_.facts_.Kinds(loc);
    return kinds.normal && !kinds.recursive && !kinds.errorcheck;
  });
}

StateId ContextRun::BeforeJumps(const llvm::Instruction& terminator, const llvm::Value& condition, bool outcome) {
  const CallBase* call = direct_.empty() ? nullptr : TestedCall(&condition);
  auto known = call == nullptr ? direct_.end() : direct_.find(call);
  const std::vector<const CallBase*>& calls = all_.CallsIn(terminator.getParent());
  if (known == direct_.end() || calls.empty() || calls.back() != call) return kNoState;
  std::optional<bool> is = Tests(&condition, call);
  return is && outcome != *is ? known->second : kNoState;
}

StateId ContextRun::Made(const llvm::Value& condition, bool outcome, StateId state) {
  if (all_.sink_ == nullptr || all_.states_.only_top()) return state;
  const auto* compare = dyn_cast<llvm::ICmpInst>(&condition);
  const auto* load = dyn_cast<llvm::LoadInst>(compare == nullptr ? &condition : compare->getOperand(0));
  const CallBase* call = TestedCall(&condition);
  const llvm::Value* guard = nullptr;
  if (load != nullptr && llvm::isAcquireOrStronger(load->getOrdering()) &&
      load->getPointerOperand()->getName().starts_with("_ZGV")) {
    std::optional<bool> is = Tests(&condition, load);
    if (is && outcome == *is) guard = load->getPointerOperand();
  } else if (call != nullptr && call->getCalledFunction() != nullptr &&
             call->getCalledFunction()->getName() == "__cxa_guard_acquire") {
    std::optional<bool> is = Tests(&condition, call);
    if (is && outcome != *is) guard = call->getArgOperand(0);
  }
  const LocSet locs = guard == nullptr ? LocSet{} : evaluator_.Of(guard);
  if (locs.size() != 1 || !all_.facts_.Single(locs[0])) return state;
  State known = all_.states_[state];
  AddMust(&known, {locs[0], Mode::kRead});
  return all_.states_.Intern(std::move(known));
}

// What a test of a return value says on this edge.
StateId ContextRun::Refined(const llvm::Instruction& terminator, unsigned successor, StateId state) {
  const llvm::Value* condition = nullptr;
  const auto* branch = dyn_cast<llvm::BranchInst>(&terminator);
  if (branch != nullptr && branch->isConditional()) condition = branch->getCondition();
  const auto* choice = dyn_cast<llvm::SwitchInst>(&terminator);
  if (choice != nullptr) condition = choice->getCondition();
  if (condition == nullptr) return state;
  if (branch != nullptr && Fails(*condition, successor == 0)) return kNoState;
  StateId direct = branch == nullptr ? kNoState : BeforeJumps(terminator, *condition, successor == 0);
  if (direct != kNoState) return direct;
  std::set<const llvm::Value*> tested;
  for (const MayLock& held : all_.states_[state].held) {
    if (held.pending != nullptr) tested.insert(held.pending);
  }
  if (tested.empty()) return state;
  State refined = all_.states_[state];
  for (const llvm::Value* value : tested) {
    std::optional<bool> is = Tests(condition, value);
    if (!is) continue;
    if (branch != nullptr) {
      all_.transfer_.Decide(&refined, value, (successor == 0) == *is, terminator.getParent());
    } else if (*is) {
      // The case of zero, or one that excludes it.
      bool zero_case = false, is_zero = false;
      for (const auto& one : choice->cases()) {
        zero_case |= one.getCaseValue()->isZero();
        is_zero |= one.getCaseValue()->isZero() && one.getSuccessorIndex() == successor;
      }
      if (is_zero)
        all_.transfer_.Decide(&refined, value, false, terminator.getParent());
      else if (zero_case || successor != 0)
        all_.transfer_.Decide(&refined, value, true, terminator.getParent());
    }
  }
  return all_.states_.Intern(std::move(refined));
}

std::vector<Function*> ContextRun::Targets(const CallBase& call, const CallMeaning& meaning) {
  if (meaning.callees.size() < 2 || all_.states_.only_top()) return meaning.callees;
  all_.done_ += meaning.callees.size();
  std::vector<Function*> here = all_.facts_.points().Functions(evaluator_.Of(call.getCalledOperand()));
  std::vector<Function*> both;
  for (Function* callee : meaning.callees) {
    if (std::find(here.begin(), here.end(), callee) != here.end()) both.push_back(callee);
  }
  return both.empty() ? meaning.callees : both;
}

ContextRun::Outcome ContextRun::Either(const Outcome& a, const Outcome& b) const {
  return {all_.states_.Join(a.normal, b.normal), all_.states_.Join(a.unwind, b.unwind)};
}

ContextRun::Outcome ContextRun::Apply(const CallBase& call, StateId before) {
  const CallMeaning& meaning = all_.facts_.Meaning(call);
  StateId thrown = call.doesNotThrow() ? kNoState : before;
  Outcome outcome;
  if (meaning.primitive != nullptr) {
    outcome = ApplyPrimitive(call, meaning, before);
    for (const Primitive* other : meaning.others) {
      CallMeaning instead = meaning;
      instead.primitive = other;
      outcome = Either(outcome, ApplyPrimitive(call, instead, before));
    }
    // Callbacks belong to the primitive; functions with a body are what a pointer may reach instead.
    if (!meaning.callees.empty()) outcome = Either(outcome, CallAll(call, Targets(call, meaning), true, before));
    return meaning.may_do_nothing ? Either(outcome, {before, thrown}) : outcome;
  }
  if (!all_.facts_.CallMatters(call)) return {before, thrown};
  if (!meaning.callees.empty()) outcome = CallAll(call, Targets(call, meaning), true, before);
  if (meaning.may_do_nothing) outcome = Either(outcome, {before, thrown});
  if (!meaning.callbacks.empty()) {
    // Called back or not.
    Outcome back = CallAll(call, meaning.callbacks, false, before);
    outcome.normal = all_.states_.Join(outcome.normal, all_.states_.Join(back.normal, before));
    outcome.unwind = all_.states_.Join(outcome.unwind, all_.states_.Join(back.unwind, thrown));
  }
  return outcome;
}

ContextRun::Outcome ContextRun::CallAll(const CallBase& call, const std::vector<Function*>& callees, bool bind,
                                        StateId before) {
  Outcome all;
  for (Function* callee : callees) {
    Outcome one{before, call.doesNotThrow() ? kNoState : before};
    if (all_.facts_.Matters(callee)) one = CallOne(call, callee, bind, before);
    all.normal = all_.states_.Join(all.normal, one.normal);
    all.unwind = all_.states_.Join(all.unwind, one.unwind);
  }
  return all;
}

// Of what an argument may be, what the function is ever called with: a virtual function gets objects of its own class.
LocSet ContextRun::OnlyPassed(LocSet set, const llvm::Value& parameter) const {
  constexpr size_t kMaxPassed = 64;
  const Locations& locations = all_.facts_.points().locations();
  const LocSet& passed = all_.facts_.points().Of(&parameter);
  if (passed.empty() || passed.size() > kMaxPassed) return set;
  std::erase_if(set, [&](LocId loc) {
    return std::none_of(passed.begin(), passed.end(), [&](LocId one) { return locations.Overlap(loc, one); });
  });
  return set;
}

std::vector<Binding> ContextRun::Bind(const CallBase& call, const Function* callee) {
  constexpr size_t kMaxBinding = 24;
  std::vector<Binding> bindings;
  for (unsigned number : all_.facts_.RelevantParameters(callee)) {
    Binding binding;
    if (number < call.arg_size()) {
      LocSet set = evaluator_.Of(call.getArgOperand(number));
      if (call.getCalledFunction() == nullptr) set = OnlyPassed(std::move(set), *callee->getArg(number));
      if (!set.empty() && set.size() <= kMaxBinding) binding = std::move(set);
    }
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

// What the caller holds, as the callee sees it.
State ContextRun::EntryState(const CallBase& call, const Function* callee, bool bind, const State& before) const {
  State entry = before;
  entry.held.clear();
  const llvm::Module& module = *function_->getParent();
  for (MayLock lock : before.held) {
    lock.site = nullptr;
    lock.order = 0;
    lock.pending = nullptr;
    const llvm::Value* root = lock.root;
    if (root != nullptr && !llvm::isa<llvm::Constant>(root)) {
      lock.root = nullptr;
      for (unsigned i = 0; bind && i < call.arg_size() && i < callee->arg_size(); ++i) {
        if (!call.getArgOperand(i)->getType()->isPointerTy()) continue;
        Symbol argument = SymbolOf(module, call.getArgOperand(i));
        if (argument.root != root) continue;
        lock.root = callee->getArg(i);
        lock.offset -= argument.offset;
        break;
      }
      if (lock.root == nullptr) lock.offset = 0;
    }
    AddHeld(&entry, lock);
  }
  return entry;
}

// Back in the caller: what it held and the callee did not release, and what the callee acquired.
StateId ContextRun::ExitState(const CallBase& call, const Context& callee, const State& before, StateId exit,
                              bool normal) const {
  if (exit == kNoState) return kNoState;
  const State& left = all_.states_[exit];
  State after = left;
  after.held.clear();
  const llvm::Module& module = *function_->getParent();
  for (const MayLock& lock : before.held) {
    bool kept = std::any_of(left.held.begin(), left.held.end(), [&](const MayLock& held) {
      if (held.site != nullptr) return false;
      if (held.loc == all_.states_.any()) return true;
      return held.loc == lock.loc && held.mode == lock.mode && held.depth >= lock.depth;
    });
    if (kept) AddHeld(&after, lock);
  }
  for (MayLock lock : left.held) {
    if (lock.site == nullptr) continue;
    if (lock.pending != nullptr) lock.pending = normal && lock.pending == callee.function ? &call : nullptr;
    if (const auto* parameter = llvm::dyn_cast_or_null<llvm::Argument>(lock.root)) {
      lock.root = nullptr;
      if (parameter->getParent() == callee.function && parameter->getArgNo() < call.arg_size()) {
        Symbol argument = SymbolOf(module, call.getArgOperand(parameter->getArgNo()));
        lock.root = argument.root;
        lock.offset += argument.offset;
      }
    } else if (lock.root != nullptr && !llvm::isa<llvm::Constant>(lock.root)) {
      lock.root = nullptr;
    }
    if (lock.root == nullptr) lock.offset = 0;
    AddHeld(&after, lock);
  }
  return all_.states_.Intern(std::move(after));
}

ContextRun::Outcome ContextRun::CallOne(const CallBase& call, Function* callee, bool bind, StateId before_id) {
  // With one state for everything a callee is entered once from each context, and there is no need to wait for it.
  const Outcome same{before_id, call.doesNotThrow() ? kNoState : before_id};
  if (all_.states_.only_top() && !all_.entered_.insert({id_, callee}).second) return same;
  const State before = all_.states_[before_id];
  all_.done_ += 1 + before.held.size();
  std::vector<Binding> bindings = bind && !all_.states_.only_top()
                                      ? Bind(call, callee)
                                      : std::vector<Binding>(all_.facts_.RelevantParameters(callee).size());
  ContextId id = all_.Enter(callee, std::move(bindings), EntryState(call, callee, bind, before), {id_, &call});
  all_.contexts_[id].callers.insert(id_);
  all_.contexts_[id_].callees.insert(id);
  for (const MayLock& lock : before.held) {
    Context& entered = all_.contexts_[id];
    if (entered.held_since.emplace(lock.loc, Entry{id_, &call}).second) entered.held_site[lock.loc] = lock.site;
  }
  const Context& entered = all_.contexts_[id];
  if (all_.states_.only_top()) return same;
  return {ExitState(call, entered, before, entered.exit, true),
          ExitState(call, entered, before, entered.unwind, false)};
}

}  // namespace heddle::deadlock
