#include "deadlock/races/guards.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/input/spin_locks.h"

namespace heddle::deadlock {

using llvm::dyn_cast;

std::vector<Guard> Guards::At(const llvm::Instruction& at, const llvm::Value* pointer, int64_t bytes) {
  AddressName name = NameAddress(*at.getModule(), pointer);
  std::vector<Guard> guards;
  for (const Held& lock : HeldBefore(at)) {
    bool globals = llvm::isa<llvm::GlobalVariable>(name.root) && llvm::isa<llvm::GlobalVariable>(lock.name.root);
    if (lock.name.Stem() == name.Stem()) {
      guards.push_back({lock.name.offset - name.offset, lock.mode});
    } else if (globals && name.index != nullptr && lock.name.index == name.index && lock.name.widened == name.widened &&
               bytes <= std::abs(name.scale)) {
      // The address says which index it was, and the index which lock.
      guards.push_back(
          {lock.name.offset, lock.mode, name.root, lock.name.root, name.offset, name.scale, lock.name.scale});
    }
  }
  std::sort(guards.begin(), guards.end());
  return guards;
}

Guards::HeldSet Guards::HeldBefore(const llvm::Instruction& at) {
  const llvm::Function* function = at.getFunction();
  if (analysed_.insert(function).second) Analyse(*function);
  auto found = in_.find(at.getParent());
  if (found == in_.end()) return {};
  HeldSet held = found->second;
  for (const llvm::Instruction* i = &at.getParent()->front(); i != &at; i = i->getNextNode()) Step(*i, &held);
  return held;
}

// The lock in the callee's words: through a parameter, or an element of a global array whose index is one.
std::optional<Guards::Held> Guards::Renamed(const Held& lock, const llvm::CallBase& call,
                                            const llvm::Function& callee) {
  for (unsigned i = 0; i < call.arg_size() && i < callee.arg_size(); ++i) {
    const llvm::Value* argument = call.getArgOperand(i);
    if (argument->getType()->isPointerTy()) {
      AddressName name = NameAddress(*call.getModule(), argument);
      if (name.Stem() != lock.name.Stem()) continue;
      return Held{{callee.getArg(i), nullptr, 0, 0, lock.name.offset - name.offset}, lock.mode};
    }
    bool index = lock.name.index != nullptr && argument == lock.name.index && llvm::isa<llvm::Constant>(lock.name.root);
    if (!index) continue;
    Held renamed = lock;
    renamed.name.index = callee.getArg(i);
    return renamed;
  }
  return std::nullopt;
}

Guards::HeldSet Guards::AtEntry(const llvm::Function& function) {
  std::optional<HeldSet> common;
  if (!busy_.insert(&function).second) return {};  // calls itself
  for (const llvm::User* user : function.users()) {
    const auto* call = dyn_cast<llvm::CallBase>(user);
    bool only = call != nullptr && call->getCalledOperand() == &function && facts_.Meaning(*call).callees.size() == 1 &&
                busy_.count(call->getFunction()) == 0;
    for (unsigned i = 0; only && i < call->arg_size(); ++i) only = call->getArgOperand(i) != &function;
    HeldSet here;
    if (only) {
      for (const Held& lock : HeldBefore(*call)) {
        if (std::optional<Held> renamed = Renamed(lock, *call, function)) here.insert(*renamed);
      }
    }
    if (common) std::erase_if(*common, [&](const Held& lock) { return here.count(lock) == 0; });
    if (!common) common = std::move(here);
    if (common->empty()) break;
  }
  busy_.erase(&function);
  for (const llvm::Function* entry : facts_.entries()) {
    if (entry == &function) return {};
  }
  return common ? *common : HeldSet{};
}

// Forward, what is held on all ways.
void Guards::Analyse(const llvm::Function& function) {
  bool locks = false;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) continue;
    const Primitive* primitive = facts_.Meaning(*call).primitive;
    locks |= primitive != nullptr && (primitive->action == Action::kLock || primitive->action == Action::kLockAll);
  }
  if (function.callsFunctionThatReturnsTwice()) return;
  const HeldSet entry = AtEntry(function);
  if (!locks && entry.empty()) return;
  llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
  std::unordered_map<const llvm::BasicBlock*, HeldSet> out;
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::BasicBlock* block : order) {
      HeldSet held;
      bool first = true;
      if (block->isEntryBlock()) held = entry;
      for (const llvm::BasicBlock* before : llvm::predecessors(block)) {
        auto known = out.find(before);
        if (known == out.end()) continue;  // not reached yet
        if (first) {
          held = known->second;
        } else {
          std::erase_if(held, [&](const Held& lock) { return known->second.count(lock) == 0; });
        }
        first = false;
      }
      in_[block] = held;
      for (const llvm::Instruction& instruction : *block) Step(instruction, &held);
      auto [place, fresh] = out.try_emplace(block, held);
      if (!fresh && place->second == held) continue;
      place->second = std::move(held);
      changed = true;
    }
  }
}

void Guards::Step(const llvm::Instruction& instruction, HeldSet* held) {
  // Its value is another one from here on.
  std::erase_if(*held,
                [&](const Held& lock) { return lock.name.root == &instruction || lock.name.index == &instruction; });
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return;
  const CallMeaning& meaning = facts_.Meaning(*call);
  PointsTo& points = facts_.points();
  auto release = [&](const Primitive& primitive) {
    LocSet locks = points.Of(call->getArgOperand(static_cast<unsigned>(primitive.lock)));
    if (primitive.deref != 0 || locks.empty()) return held->clear();
    AddressName name = NameAddress(*call->getModule(), call->getArgOperand(static_cast<unsigned>(primitive.lock)));
    std::erase_if(*held,
                  [&](const Held& lock) { return lock.name.Stem() == name.Stem() && lock.name.offset == name.offset; });
    Release(locks, held);
  };
  std::vector<const Primitive*> primitives = meaning.others;
  if (meaning.primitive != nullptr) primitives.push_back(meaning.primitive);
  for (const Primitive* primitive : primitives) {
    if (primitive->action == Action::kUnlock || primitive->action == Action::kSemPost) release(*primitive);
  }
  for (const std::vector<llvm::Function*>* called : {&meaning.callees, &meaning.callbacks}) {
    for (const llvm::Function* callee : *called) {
      if (ReleasesUnknown(callee)) return held->clear();
      const std::set<LocId>& locks = Released(callee);
      Release(LocSet(locks.begin(), locks.end()), held);
    }
  }
  bool certain = primitives.size() == 1 && meaning.callees.empty() && !meaning.may_do_nothing;
  if (certain) Acquire(*call, *meaning.primitive, held);
}

void Guards::Acquire(const llvm::CallBase& call, const Primitive& primitive, HeldSet* held) const {
  auto add = [&](const llvm::Value* operand) {
    held->insert({NameAddress(*call.getModule(), operand), primitive.mode});
  };
  // Of the program's own locks only single ones are known to be locks (Locksets::FindBrokenLocks).
  if (call.getCalledFunction() != nullptr && call.getCalledFunction()->getName() == kSpinLock) return;
  if (primitive.action == Action::kLock && primitive.deref == 0) {
    add(call.getArgOperand(static_cast<unsigned>(primitive.lock)));
  } else if (primitive.action == Action::kLockAll) {
    for (const llvm::Value* argument : call.args()) {
      if (argument->getType()->isPointerTy()) add(argument);
    }
  }
}

void Guards::Release(const LocSet& locks, HeldSet* held) {
  PointsTo& points = facts_.points();
  std::erase_if(*held, [&](const Held& lock) {
    const LocSet& bases = points.Of(lock.name.root);
    return bases.empty() || std::any_of(bases.begin(), bases.end(), [&](LocId base) {
             LocId at = points.locations().Shift(base, lock.name.offset);
             if (at != kNoLoc && lock.name.index != nullptr)
               at = points.locations().Spread(at, std::abs(lock.name.scale), false);
             return at != kNoLoc && std::any_of(locks.begin(), locks.end(),
                                                [&](LocId other) { return points.locations().Overlap(at, other); });
           });
  });
}

const std::set<LocId>& Guards::Released(const llvm::Function* function) {
  FindReleased();
  return released_[function];
}

bool Guards::ReleasesUnknown(const llvm::Function* function) {
  FindReleased();
  return releases_unknown_.count(function) != 0;
}

void Guards::FindReleased() {
  if (found_released_) return;
  found_released_ = true;
  std::map<const llvm::Function*, std::set<const llvm::Function*>> callers;
  std::set<const llvm::Function*> work;
  if (facts_.entries().empty()) return;
  for (const llvm::Function& function : *facts_.entries()[0]->getParent()) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      const CallMeaning& meaning = facts_.Meaning(*call);
      for (const llvm::Function* callee : meaning.callees) callers[callee].insert(&function);
      for (const llvm::Function* callee : meaning.callbacks) callers[callee].insert(&function);
      std::vector<const Primitive*> primitives = meaning.others;
      if (meaning.primitive != nullptr) primitives.push_back(meaning.primitive);
      for (const Primitive* primitive : primitives) {
        if (primitive->action != Action::kUnlock && primitive->action != Action::kSemPost) continue;
        const LocSet& locks = facts_.points().Of(call->getArgOperand(static_cast<unsigned>(primitive->lock)));
        if (locks.empty() || primitive->deref != 0) releases_unknown_.insert(&function);
        released_[&function].insert(locks.begin(), locks.end());
        work.insert(&function);
      }
    }
  }
  while (!work.empty()) {
    const llvm::Function* function = *work.begin();
    work.erase(work.begin());
    for (const llvm::Function* caller : callers[function]) {
      size_t before = released_[caller].size() + releases_unknown_.count(caller);
      released_[caller].insert(released_[function].begin(), released_[function].end());
      if (releases_unknown_.count(function) != 0) releases_unknown_.insert(caller);
      if (released_[caller].size() + releases_unknown_.count(caller) != before) work.insert(caller);
    }
  }
}

}  // namespace heddle::deadlock
