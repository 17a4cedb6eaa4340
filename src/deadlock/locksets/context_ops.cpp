// What the primitives do in a context: the second half of context_run.h.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/input/cxx_models.h"
#include "deadlock/input/spin_locks.h"
#include "deadlock/locksets/context_run.h"

namespace heddle::deadlock {

using llvm::CallBase;
using llvm::Function;

namespace {

constexpr size_t kMaxOperand = 12;  // locks that one operation may mean before they are taken together

// The variable behind an address, if nothing but creating threads writes to it.
const llvm::Value* HandleVariable(const Facts& facts, const llvm::Value* address) {
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(address);
  if (variable == nullptr || !facts.HappensOnce(*variable)) return nullptr;
  for (const llvm::User* user : variable->users()) {
    if (llvm::isa<llvm::LoadInst>(user)) continue;
    const auto* call = llvm::dyn_cast<CallBase>(user);
    if (call == nullptr) return nullptr;
    if (llvm::isa<llvm::IntrinsicInst>(call)) continue;
    const Primitive* primitive = facts.Meaning(*call).primitive;
    bool creates = primitive != nullptr && primitive->action == Action::kCreate && primitive->handle >= 0 &&
                   call->getArgOperand(static_cast<unsigned>(primitive->handle)) == variable;
    if (!creates) return nullptr;
  }
  return variable;
}

}  // namespace

LocSet ContextRun::Operand(const CallBase& call, const Primitive& primitive) {
  const llvm::Value* value = call.getArgOperand(static_cast<unsigned>(primitive.lock));
  LocSet set = all_.states_.only_top() ? all_.facts_.points().Of(value) : evaluator_.Of(value);
  all_.done_ += set.size();
  for (int i = 0; i < primitive.deref; ++i) {
    set = all_.facts_.points().Behind(set);
    all_.done_ += set.size();
  }
  bool join = primitive.action == Action::kJoin;
  // What is not refined by the context is filtered once for each operation.
  constexpr size_t kWorthKeeping = 64;
  bool large = !join && set.size() > kWorthKeeping;
  if (large) {
    auto known = all_.large_operands_.find(&call);
    if (known != all_.large_operands_.end() && known->second.first == set) return known->second.second;
  }
  LocSet given = large ? set : LocSet{};
  auto keep = [&](LocSet result) {
    if (large) all_.large_operands_[&call] = {std::move(given), result};
    return result;
  };
  if (!join) {
    std::erase_if(set, [&](LocId loc) { return !all_.facts_.CanBeLock(loc, call); });
    set = all_.facts_.WithoutStrangers(std::move(set), call);
    if (set.size() > kMaxOperand)
      return keep({all_.vague_ != kNoLoc ? all_.vague_ : all_.facts_.points().locations().OneOf(set)});
  }
  std::erase_if(set, [&](LocId loc) {
    ObjectKind kind = all_.facts_.points().locations().object_of(loc).kind;
    return join ? kind != ObjectKind::kThread : kind == ObjectKind::kThread || kind == ObjectKind::kFunction;
  });
  return keep(std::move(set));
}

void ContextRun::Record(const CallBase& call, StateId before, const LocSet& locks, Mode mode, WaitKind kind,
                        Symbol symbol) {
  if (!all_.collecting_) return;
  all_.waits_.push_back({id_, &call, before, locks, mode, kind, symbol});
}

// For the locks at creation, which only races ask for.
void ContextRun::Released(const LocSet& locks, StateId state) {
  if (!all_.collecting_ || all_.sink_ == nullptr) return;
  std::set<OriginId> running = all_.Running(all_.states_[state]);
  if (!running.empty()) all_.releases_.push_back({id_, locks, std::move(running)});
}

void ContextRun::End(const llvm::Instruction& at, StateId state) {
  if (all_.collecting_) all_.ends_.push_back({id_, &at, state});
}

void ContextRun::Create(const CallBase& call, const CallMeaning& meaning, State* state) {
  const Primitive& primitive = *meaning.primitive;
  const llvm::Value* handle = nullptr;
  if (primitive.action == Action::kCreate && primitive.handle >= 0 && meaning.starts.size() == 1) {
    handle = HandleVariable(all_.facts_, call.getArgOperand(static_cast<unsigned>(primitive.handle)));
  }
  for (LiveThread& thread : state->live) {
    if (handle != nullptr && thread.handle == handle) thread.handle = nullptr;  // overwritten
  }
  std::sort(state->live.begin(), state->live.end());
  for (Function* start : meaning.starts) {
    OriginId origin = all_.OriginAmong(&call, start, meaning.starts, "");
    all_.creates_[id_].insert(origin);
    std::vector<Binding> bindings;
    for (unsigned number : all_.facts_.RelevantParameters(start)) {
      Binding binding;
      if (primitive.action == Action::kCreate && static_cast<int>(number) == primitive.param && primitive.arg >= 0) {
        LocSet set = evaluator_.Of(call.getArgOperand(static_cast<unsigned>(primitive.arg)));
        if (!set.empty() && set.size() <= 24) binding = std::move(set);
      } else if (primitive.action == Action::kStdStart && number == 0) {
        LocSet states = all_.facts_.points().Behind(evaluator_.Of(call.getArgOperand(1)));
        if (!states.empty() && states.size() <= 24) binding = std::move(states);
      }
      bindings.push_back(std::move(binding));
    }
    all_.EnterThread(origin, start, std::move(bindings), {id_, &call}, state);
    if (all_.collecting_ && all_.sink_ != nullptr) all_.births_.push_back({origin, id_, state->must});
    if (all_.collecting_) {
      std::set<OriginId> born = all_.origins_[origin].descendants;
      born.insert(origin);
      for (OriginId running : all_.Running(*state)) {
        for (OriginId child : born) all_.parallel_.insert({running, child});
      }
    }
    bool again =
        std::any_of(state->live.begin(), state->live.end(), [&](const LiveThread& t) { return t.origin == origin; });
    AddLive(state, {origin, again, handle});
  }
}

void ContextRun::Join(const CallBase& call, const Primitive& primitive, StateId before, State* state) {
  LocSet threads = Operand(call, primitive);
  Record(call, before, threads, Mode::kWrite, WaitKind::kJoin, {});
  const llvm::Value* create = nullptr;
  if (threads.size() == 1) create = all_.facts_.points().locations().object_of(threads[0]).site;
  const llvm::Value* handle = call.getArgOperand(static_cast<unsigned>(primitive.lock));
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(handle);
  const llvm::Value* variable = load == nullptr ? nullptr : HandleVariable(all_.facts_, load->getPointerOperand());
  std::vector<OriginId> left;
  std::erase_if(state->live, [&](const LiveThread& thread) {
    const Origin& origin = all_.origins_[thread.origin];
    bool meant = create != nullptr ? origin.create == create : variable != nullptr && thread.handle == variable;
    if (thread.many || !meant) return false;
    left.insert(left.end(), origin.leaves.begin(), origin.leaves.end());
    return true;
  });
  for (OriginId id : left) AddLive(state, {id, true});
  Knows(llvm::dyn_cast_or_null<CallBase>(create), state);
}

void ContextRun::Gone(const CallBase& call, const Primitive& primitive, State* state) {
  if (state->live.empty()) return;
  LocSet objects = evaluator_.Of(call.getArgOperand(0));
  if (objects.size() != 1) return;
  std::set<const CallBase*> gone = primitive.action == Action::kThreadGone
                                       ? all_.thread_objects_.GoneWith(objects[0], call)
                                       : all_.thread_objects_.GoneWithAll(objects[0], call);
  std::vector<OriginId> left;
  std::erase_if(state->live, [&](const LiveThread& thread) {
    const Origin& origin = all_.origins_[thread.origin];
    if (gone.count(origin.create) == 0) return false;
    left.insert(left.end(), origin.leaves.begin(), origin.leaves.end());
    return true;
  });
  for (OriginId id : left) AddLive(state, {id, true});
  for (const CallBase* create : gone) Knows(create, state);
}

// To some setjmp, with what is held here.
void ContextRun::Jump(StateId from) {
  State jump = all_.states_[from];
  std::vector<MayLock> held = std::move(jump.held);
  jump.held.clear();
  jump.must.clear();
  jump.suspended.clear();
  for (MayLock lock : held) {
    lock.root = nullptr;
    lock.offset = 0;
    lock.pending = nullptr;
    AddHeld(&jump, lock);
  }
  all_.jumped_ = all_.states_.Join(all_.jumped_, all_.states_.Intern(std::move(jump)));
}

ContextRun::Outcome ContextRun::ApplyPrimitive(const CallBase& call, const CallMeaning& meaning, StateId before) {
  const Primitive& primitive = *meaning.primitive;
  StateTable& states = all_.states_;
  State after = states[before];
  StateId thrown = call.doesNotThrow() ? kNoState : before;
  Transfer::Acquired how;
  how.mode = primitive.mode;
  how.site = &call;
  how.when_nonzero = primitive.success_nonzero;
  auto operand = [&]() {
    LocSet locks = Operand(call, primitive);
    return locks.empty() ? all_.Unknown(call) : locks;
  };
  auto symbol = [&]() {
    if (primitive.deref != 0) return Symbol{};
    return SymbolOf(*function_->getParent(), call.getArgOperand(static_cast<unsigned>(primitive.lock)));
  };
  auto remember = [&](const LocSet& locks) {
    for (LocId loc : locks) all_.locks_.emplace(loc, &call);
  };
  switch (primitive.action) {
    case Action::kLock:
    case Action::kSemWait:
    case Action::kTryLock:
    case Action::kTimedLock:
    case Action::kSemTry: {
      LocSet locks = operand();
      remember(locks);
      how.symbol = symbol();
      how.is_try = primitive.action != Action::kLock && primitive.action != Action::kSemWait;
      how.pending = call.getType()->isVoidTy() ? nullptr : &call;
      Record(call, before, locks, how.mode, how.is_try ? WaitKind::kTry : WaitKind::kLock, how.symbol);
      all_.transfer_.Acquire(&after, locks, how);
      break;
    }
    case Action::kLockAll: {
      // Each may be waited for while nothing of the others is held.
      for (const llvm::Value* argument : call.args()) {
        if (!argument->getType()->isPointerTy()) continue;
        LocSet locks = evaluator_.Of(argument);
        if (locks.empty()) locks = all_.Unknown(call);
        remember(locks);
        Record(call, before, locks, Mode::kWrite, WaitKind::kLock, SymbolOf(*function_->getParent(), argument));
        how.symbol = SymbolOf(*function_->getParent(), argument);
        all_.transfer_.Acquire(&after, locks, how);
      }
      break;
    }
    case Action::kUnlock:
    case Action::kSemPost: {
      const LocSet locks = operand();
      Released(locks, before);
      if (all_.collecting_ && all_.sink_ != nullptr && call.getCalledFunction() != nullptr &&
          call.getCalledFunction()->getName() == kSpinUnlock) {
        all_.spin_releases_.insert({&call, before});
      }
      all_.transfer_.Release(&after, locks, symbol());
      // As behind pthread_once.
      if (all_.sink_ != nullptr && call.getCalledFunction() != nullptr && locks.size() == 1 &&
          call.getCalledFunction()->getName() == "__cxa_guard_release" && all_.facts_.Single(locks[0])) {
        AddMust(&after, {locks[0], Mode::kRead});
      }
      break;
    }
    case Action::kCondWait: {
      LocSet locks = operand();
      Released(locks, before);
      State released = after;
      all_.transfer_.Release(&released, locks, symbol());
      // If it is not certain which lock was released, it is not waited for while held itself.
      std::erase_if(released.held, [&](const MayLock& held) {
        return locks.size() == 1 && held.loc == locks[0] && all_.facts_.Single(held.loc);
      });
      Record(call, states.Intern(std::move(released)), locks, Mode::kWrite, WaitKind::kRelock, symbol());
      break;
    }
    case Action::kOnce: {
      if (call.hasMetadata(kLibraryOnce)) {
        Outcome inside = CallAll(call, meaning.callbacks, false, before);
        return {states.Join(inside.normal, before), states.Join(inside.unwind, thrown)};
      }
      LocSet once = Operand(call, primitive);
      Record(call, before, once, Mode::kWrite, WaitKind::kOnce, {});
      remember(once);
      how.pending = nullptr;
      all_.transfer_.Acquire(&after, once, how);
      Outcome inside = CallAll(call, meaning.callbacks, false, states.Intern(std::move(after)));
      auto leave = [&](StateId id) {
        if (id == kNoState) return id;
        State left = states[id];
        all_.transfer_.ReleaseSite(&left, call);
        return states.Intern(std::move(left));
      };
      // What was done once is done for everybody who comes back from here: as if nobody could write any more.
      auto done = [&](StateId id) {
        if (id == kNoState || all_.sink_ == nullptr || once.size() != 1 || !all_.facts_.Single(once[0])) return id;
        State known = states[id];
        AddMust(&known, {once[0], Mode::kRead});
        return states.Intern(std::move(known));
      };
      return {states.Join(done(leave(inside.normal)), done(before)), states.Join(leave(inside.unwind), thrown)};
    }
    case Action::kCreate:
    case Action::kStdStart:
      Create(call, meaning, &after);
      break;
    case Action::kJoin:
      Join(call, primitive, before, &after);
      break;
    case Action::kThreadGone:
    case Action::kThreadsGone:
      Gone(call, primitive, &after);
      break;
    case Action::kThreadExit:
      // Handlers of pthread_cleanup_push come first: in C behind a setjmp of theirs, in C++ as destructors.
      if (all_.facts_.cleanup_by_jump()) Jump(before);
      if (function_->doesNotThrow() || thrown == kNoState) {
        End(call, before);
        return {};
      }
      return {kNoState, thrown};
    case Action::kExit:
      CallAll(call, meaning.callbacks, false, before);
      return {};
    case Action::kProcessExit:
      return {};
    case Action::kLongjmp:
      Jump(before);
      return {};
    case Action::kSetjmp:
      direct_[&call] = before;
      if (all_.jumped_ != kNoState) return {states.Join(before, all_.jumped_), thrown};
      break;
    case Action::kDispatch: {
      Outcome back = CallAll(call, meaning.callbacks, false, before);
      return {states.Join(back.normal, before), states.Join(back.unwind, thrown)};
    }
    default:
      break;
  }
  return {states.Intern(std::move(after)), thrown};
}

}  // namespace heddle::deadlock
