// All locks of the program, for where it is not known which: operands that nothing is known about, and the coarser
// levels of contexts.h.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/locksets/contexts.h"

namespace heddle::deadlock {

using llvm::Function;

namespace {

// "pthread_mutex" of pthread_mutex_trylock: locks of one family may be the same lock.
std::string Family(const Function* function) {
  std::string name = function == nullptr ? "lock" : function->getName().str();
  return name.substr(0, name.rfind('_'));
}

void AddAll(LocSet* to, const LocSet& more) {
  LocSet both;
  std::set_union(to->begin(), to->end(), more.begin(), more.end(), std::back_inserter(both));
  *to = std::move(both);
}

}  // namespace

// What the operation may lock in any context; empty if it locks nothing.
LocSet Locksets::OperandsOf(const llvm::CallBase& call, const Primitive& primitive) {
  PointsTo& points = facts_.points();
  LocSet all;
  if (primitive.action == Action::kLockAll) {
    for (const llvm::Value* argument : call.args()) {
      if (argument->getType()->isPointerTy()) AddAll(&all, points.Of(argument));
    }
  } else if (primitive.action <= Action::kCondWait || primitive.action == Action::kOnce ||
             primitive.action == Action::kSemWait || primitive.action == Action::kSemTry) {
    if (static_cast<unsigned>(primitive.lock) >= call.arg_size()) return all;
    all = points.Of(call.getArgOperand(static_cast<unsigned>(primitive.lock)));
    for (int i = 0; i < primitive.deref; ++i) all = points.Behind(all);
  }
  std::erase_if(all, [&](LocId loc) {
    ObjectKind kind = points.locations().object_of(loc).kind;
    return kind == ObjectKind::kThread || kind == ObjectKind::kFunction || !facts_.CanBeLock(loc, call);
  });
  return facts_.WithoutStrangers(std::move(all), call);
}

void Locksets::FindUniverse() {
  if (facts_.entries().empty()) return;
  for (Function& function : *facts_.entries()[0]->getParent()) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->isInlineAsm()) continue;
      const CallMeaning& meaning = facts_.Meaning(*call);
      if (meaning.primitive == nullptr) continue;
      LocSet& all = universe_[Family(call->getCalledFunction())];
      AddAll(&all, OperandsOf(*call, *meaning.primitive));
      for (const Primitive* other : meaning.others) AddAll(&all, OperandsOf(*call, *other));
    }
  }
  LocSet every;
  for (const auto& [family, set] : universe_) AddAll(&every, set);
  if (every.size() < 2) return;
  Locations& locations = facts_.points().locations();
  vague_ = locations.NewOneOf(every);
  LocId any = locations.NewOneOf(every);  // an operand with the same set is still a lock of its own
  // Each lock is in the operands, without context, of every operation on it: what overlaps them has no other locks.
  states_.SetAny(any, [&locations, any](LocId loc) {
    return locations.object_of(loc).kind != ObjectKind::kThread && locations.Overlap(any, loc);
  });
}

// A lock of the family that is none of those we know.
LocId Locksets::Outsider(const std::string& family) {
  Locations& locations = facts_.points().locations();
  LocSet& all = universe_[family];
  for (LocId loc : all) {
    if (locations.object_of(loc).kind == ObjectKind::kExternal && locations.object_of(loc).site == nullptr) return loc;
  }
  Object outsider;
  outsider.kind = ObjectKind::kExternal;
  all.push_back(locations.At(locations.Add(outsider)));
  return all.back();
}

// An operand that points nowhere we know of: any lock of its kind, and one that is none of them.
LocSet Locksets::Unknown(const llvm::CallBase& call) {
  unresolved_.insert(&call);
  std::string family = Family(call.getCalledFunction());
  Outsider(family);
  return universe_[family];
}

// The next level from here on: what was found is thrown away.
void Locksets::Coarser(Detail detail) {
  detail_ = detail;
  done_ = 0;
  budget_.contexts_per_function = 1;
  states_.BlurAll();
  Clear();
  StartAll();
}

void Locksets::EnterTop() {
  for (Function* entry : facts_.entries()) {
    for (Function& function : *entry->getParent()) {
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call == nullptr || call->isInlineAsm()) continue;
        const std::vector<Function*>& starts = facts_.Meaning(*call).starts;
        for (Function* start : starts) OriginAmong(call, start, starts, "");
      }
    }
    break;
  }
  State top;
  top.most = State::kManyHeld;
  auto add = [&](LocId loc) {
    MayLock held;
    held.loc = loc;
    held.depth = MayLock::kDeep;
    AddHeld(&top, held);
  };
  if (states_.any() != kNoLoc) add(states_.any());
  for (auto& [family, set] : universe_) {
    add(Outsider(family));
    for (size_t i = 0; states_.any() == kNoLoc && i < set.size(); ++i) add(set[i]);
  }
  for (OriginId id = 0; id < origins_.size(); ++id) {
    if (joined_under_lock_.count(id) != 0) add(facts_.points().LocOfThread(*origins_[id].create));
    if (origins_[id].create != nullptr) AddLive(&top, {id, true});
  }
  states_.TopAll(std::move(top));
}

}  // namespace heddle::deadlock
