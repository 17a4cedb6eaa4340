#include "deadlock/sharing.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace heddle::deadlock {
namespace {

// Objects that are there for every thread.
bool IsRoot(const Object& object) {
  switch (object.kind) {
    case ObjectKind::kGlobal:
      return !object.is_thread_local;
    case ObjectKind::kExternal:
    case ObjectKind::kCaller:
    case ObjectKind::kThread:
      return true;
    default:
      return false;
  }
}

}  // namespace

Sharing::Sharing(const llvm::Module& module, const Facts& facts) : facts_(facts) {
  PointsTo& points = facts.points();
  std::vector<ObjectId> roots, given, kept;
  for (ObjectId id = 0; id < points.locations().objects(); ++id) {
    const Object& object = points.locations().object(id);
    if (IsRoot(object)) roots.push_back(id);
    if (object.kind == ObjectKind::kExternal || object.kind == ObjectKind::kCaller) kept.push_back(id);
  }
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      const CallMeaning& meaning = facts.Meaning(*call);
      const llvm::Function* callee = call->getCalledFunction();
      if (callee != nullptr && callee->isIntrinsic()) continue;
      bool creates = !meaning.starts.empty();
      // Asked again for calls through pointers: any of their targets may be external.
      bool external =
          call->isInlineAsm() || meaning.may_do_nothing ||
          (callee != nullptr && callee->isDeclaration() && facts.primitives().Find(callee->getName().str()) == nullptr);
      if (!creates && !external) continue;
      for (unsigned i = 0; i < call->arg_size(); ++i) {
        if (!call->getArgOperand(i)->getType()->isPointerTy()) continue;
        std::vector<ObjectId> objects = ObjectsOf(points.Of(call->getArgOperand(i)));
        if (creates) given.insert(given.end(), objects.begin(), objects.end());
        if (external && !call->doesNotCapture(i)) kept.insert(kept.end(), objects.begin(), objects.end());
      }
    }
  }
  roots.insert(roots.end(), given.begin(), given.end());
  roots.insert(roots.end(), kept.begin(), kept.end());
  Reach(std::move(roots), &shared_);
  Reach(std::move(kept), &kept_);
}

std::vector<ObjectId> Sharing::ObjectsOf(const LocSet& set) const {
  std::vector<ObjectId> objects;
  for (LocId loc : set) objects.push_back(facts_.points().locations().loc(loc).object);
  return objects;
}

void Sharing::Reach(std::vector<ObjectId> work, std::vector<bool>* reached) const {
  PointsTo& points = facts_.points();
  reached->assign(points.locations().objects(), false);
  while (!work.empty()) {
    ObjectId id = work.back();
    work.pop_back();
    if ((*reached)[id]) continue;
    (*reached)[id] = true;
    if (points.locations().object(id).kind == ObjectKind::kFunction) continue;
    for (ObjectId next : ObjectsOf(points.ContentsOf(id))) work.push_back(next);
  }
}

}  // namespace heddle::deadlock
