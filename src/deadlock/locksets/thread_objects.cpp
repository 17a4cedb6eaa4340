#include "deadlock/locksets/thread_objects.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace heddle::deadlock {

using llvm::dyn_cast;

namespace {

llvm::StringRef TypeName(const Object& object) {
  const auto* record = llvm::dyn_cast_or_null<llvm::StructType>(object.type);
  return record == nullptr || !record->hasName() ? llvm::StringRef() : record->getName();
}

bool IsLifetime(const llvm::Instruction& instruction, llvm::Intrinsic::ID which, const llvm::Value* variable) {
  const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic != nullptr && intrinsic->getIntrinsicID() == which && intrinsic->getArgOperand(1) == variable;
}

// Whether control can come from the start of the variable's life to `at` without its end in between.
bool Alive(const llvm::Value* variable, const llvm::Instruction& at) {
  std::vector<const llvm::Instruction*> work;
  for (const llvm::User* user : variable->users()) {
    const auto* start = dyn_cast<llvm::Instruction>(user);
    if (start != nullptr && IsLifetime(*start, llvm::Intrinsic::lifetime_start, variable))
      work.push_back(start->getNextNode());
  }
  if (work.empty()) return true;
  std::set<const llvm::Instruction*> seen;
  while (!work.empty()) {
    const llvm::Instruction* from = work.back();
    work.pop_back();
    if (!seen.insert(from).second) continue;
    const llvm::Instruction* here = from;
    for (; here != nullptr; here = here->getNextNode()) {
      if (here == &at) return true;
      if (IsLifetime(*here, llvm::Intrinsic::lifetime_end, variable)) break;
    }
    if (here != nullptr) continue;
    const llvm::Instruction* end = from->getParent()->getTerminator();
    for (unsigned i = 0; i < end->getNumSuccessors(); ++i) work.push_back(&end->getSuccessor(i)->front());
  }
  return false;
}

}  // namespace

void ThreadObjects::Find() {
  if (found_) return;
  found_ = true;
  PointsTo& points = facts_.points();
  const Locations& locations = points.locations();
  auto note = [&](ObjectId object, int64_t granule, const LocSet& held) {
    for (LocId loc : held) {
      if (locations.object_of(loc).kind == ObjectKind::kThread)
        holders_[locations.loc(loc).object].push_back({object, granule});
    }
  };
  for (ObjectId id = 0; id < locations.objects(); ++id) {
    for (const auto& [granule, held] : points.Cells(id)) note(id, granule, held);
  }
  if (facts_.entries().empty()) return;
  for (const llvm::Function& function : *facts_.entries()[0]->getParent()) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || call->arg_size() == 0 || !callee->getName().contains("detach")) continue;
      LocSet set = points.Of(call->getArgOperand(0));
      if (callee->getName() == "_ZNSt6thread6detachEv") set = points.Behind(set);
      for (LocId loc : set) detached_.insert(locations.loc(loc).object);
    }
  }
}

bool ThreadObjects::Reaches(const llvm::Function* from, const llvm::Function* to) const {
  std::vector<const llvm::Function*> work = {from};
  std::set<const llvm::Function*> seen = {from};
  while (!work.empty()) {
    const llvm::Function* function = work.back();
    work.pop_back();
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      const CallMeaning& meaning = facts_.Meaning(*call);
      for (const auto* called : {&meaning.callees, &meaning.callbacks}) {
        for (const llvm::Function* callee : *called) {
          if (callee == to) return true;
          if (seen.insert(callee).second) work.push_back(callee);
        }
      }
    }
  }
  return false;
}

// A std::thread variable that is gone when `at` is reached: it was destroyed, so it was not joinable.
bool ThreadObjects::Over(const Object& variable, const llvm::Instruction& at) const {
  const auto* alloca = llvm::dyn_cast_or_null<llvm::AllocaInst>(variable.site);
  llvm::StringRef type = TypeName(variable);
  if (alloca == nullptr || (!type.starts_with("class.std::thread") && !type.starts_with("class.std::jthread")))
    return false;
  if (alloca->getFunction() == at.getFunction()) return !Alive(alloca, at);
  return !Reaches(alloca->getFunction(), at.getFunction());
}

std::set<const llvm::CallBase*> ThreadObjects::GoneWith(LocId object, const llvm::Instruction& at) {
  Find();
  std::set<const llvm::CallBase*> gone;
  const Locations& locations = facts_.points().locations();
  const Loc loc = locations.loc(object);
  if (!facts_.Single(object)) return gone;
  for (const auto& [thread, holders] : holders_) {
    bool here = false, elsewhere = detached_.count(thread) != 0;
    for (const Holder& holder : holders) {
      if (holder.object == loc.object && holder.granule == loc.offset / 8)
        here = true;
      else if (holder.object == loc.object || !Over(locations.object(holder.object), at))
        elsewhere = true;
    }
    if (here && !elsewhere) gone.insert(llvm::cast<llvm::CallBase>(locations.object(thread).site));
  }
  return gone;
}

// The memory of the elements is known to nobody but the vector, iterators and what moves elements.
bool ThreadObjects::OnlyOwner(ObjectId vector, const std::set<ObjectId>& memory) const {
  PointsTo& points = facts_.points();
  const Locations& locations = points.locations();
  for (ObjectId id = 0; id < locations.objects(); ++id) {
    if (id == vector || memory.count(id) != 0) continue;
    const LocSet held = points.ContentsOf(id);
    bool knows =
        std::any_of(held.begin(), held.end(), [&](LocId loc) { return memory.count(locations.loc(loc).object) != 0; });
    if (!knows) continue;
    const Object& object = locations.object(id);
    llvm::StringRef type = TypeName(object);
    bool passing =
        object.kind == ObjectKind::kStack && (type.contains("__normal_iterator") || type.contains("_Guard") ||
                                              (object.type != nullptr && object.type->isPointerTy()));
    if (!passing) return false;
  }
  return true;
}

std::set<const llvm::CallBase*> ThreadObjects::GoneWithAll(LocId vector, const llvm::Instruction& at) {
  Find();
  std::set<const llvm::CallBase*> gone;
  PointsTo& points = facts_.points();
  const Locations& locations = points.locations();
  if (points.stats().gave_up || !facts_.Single(vector)) return gone;
  std::set<ObjectId> memory;
  for (LocId loc : points.Contents(vector)) memory.insert(locations.loc(loc).object);
  if (memory.empty() || !OnlyOwner(locations.loc(vector).object, memory)) return gone;
  for (const auto& [thread, holders] : holders_) {
    bool here = false, elsewhere = detached_.count(thread) != 0;
    for (const Holder& holder : holders) {
      bool inside = memory.count(holder.object) != 0;
      here |= inside;
      elsewhere |= !inside && !Over(locations.object(holder.object), at);
    }
    if (here && !elsewhere) gone.insert(llvm::cast<llvm::CallBase>(locations.object(thread).site));
  }
  return gone;
}

}  // namespace heddle::deadlock
