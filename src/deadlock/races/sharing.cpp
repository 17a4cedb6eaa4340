#include "deadlock/races/sharing.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "deadlock/cycles/names.h"
#include "deadlock/races/library_uses.h"

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

// What a call may do outside of the program.
enum class External : uint8_t {
  kNone,
  kKnown,     // nothing to memory that is not known: locks, threads, allocation, the table of memory functions
  kAccesses,  // anything to what it is given
};

bool IsHarmless(const Primitive& primitive) {
  switch (primitive.action) {
    case Action::kNothing:  // to locks and threads; to memory, who knows
    case Action::kThrow:
    case Action::kReturnsArg:
    case Action::kSubobject:
    case Action::kCallNow:
    case Action::kCallLater:
    case Action::kDispatch:
    case Action::kCopy:
    case Action::kKeep:
    case Action::kLink:
    case Action::kPlain:
    case Action::kSymbol:
    case Action::kSend:
    case Action::kReceive:
      return false;
    default:
      return true;
  }
}

// Accesses nothing but the semaphore, barrier or condition variable that it is given.
bool OnlySynchronises(llvm::StringRef name) {
  bool semaphore = name.starts_with("sem_") && name != "sem_open" && name != "sem_getvalue";
  return semaphore || name.starts_with("pthread_barrier_") || name.starts_with("pthread_cond_");
}

// syscall(SYS_futex, address, FUTEX_WAIT or FUTEX_WAKE, ...): reads it as an atomic variable.
bool IsFutex(const llvm::CallBase& call) {
  constexpr uint64_t kFutex = 202, kFlags = 128 | 256;
  const auto* number = call.arg_size() < 3 ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  const auto* operation = number == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
  if (operation == nullptr || number->getZExtValue() != kFutex) return false;
  uint64_t what = operation->getZExtValue() & ~kFlags;
  return what == 0 || what == 1 || what == 9 || what == 10;  // wait, wake, and the same with a mask
}

External ExternalOf(const Facts& facts, const llvm::CallBase& call) {
  if (call.isInlineAsm()) return External::kAccesses;
  const llvm::Function* callee = call.getCalledFunction();
  // Through a pointer: the body of what it may reach is looked at, for the rest it may be anything.
  if (callee == nullptr) return facts.Meaning(call).may_do_nothing ? External::kAccesses : External::kNone;
  if (callee->isIntrinsic()) return External::kNone;
  if (callee->getName() == "syscall" && IsFutex(call)) return External::kKnown;
  if (!callee->isDeclaration()) return External::kNone;
  if (KnowsUsesOf(*callee) || OnlySynchronises(callee->getName())) return External::kKnown;
  const Primitive* primitive = facts.primitives().Find(callee->getName().str());
  return primitive != nullptr && IsHarmless(*primitive) ? External::kKnown : External::kAccesses;
}

// It keeps nothing of what it is given: the pointer analysis has a model of it, or it is a member of a string or
// stream, but not one that ties a stream to another object. Of other library functions that is not known: exceptions go
// from thread to thread, and some functions of libc keep a buffer.
bool IsKnown(const Facts& facts, const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  if (facts.primitives().Find(callee->getName().str()) != nullptr) return true;
  for (llvm::StringRef ties : {"rdbuf", "setbuf", "4init", "3tie"}) {
    if (callee->getName().contains(ties)) return false;
  }
  return !CxxLibraryUses(call).empty();
}

}  // namespace

Sharing::Sharing(const llvm::Module& module, const Facts& facts) : facts_(facts) {
  PointsTo& points = facts.points();
  std::vector<ObjectId> roots, touched;
  for (ObjectId id = 0; id < points.locations().objects(); ++id) {
    const Object& object = points.locations().object(id);
    if (IsRoot(object)) roots.push_back(id);
    if (object.kind == ObjectKind::kExternal || object.kind == ObjectKind::kCaller) touched.push_back(id);
  }
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      bool creates = !facts.Meaning(*call).starts.empty();
      External external = ExternalOf(facts, *call);
      for (unsigned i = 0; i < call->arg_size(); ++i) {
        if (!call->getArgOperand(i)->getType()->isPointerTy()) continue;
        std::vector<ObjectId> objects = ObjectsOf(points.Of(call->getArgOperand(i)));
        bool kept = external != External::kNone && !call->doesNotCapture(i) && !IsKnown(facts, *call);
        if (creates || kept) roots.insert(roots.end(), objects.begin(), objects.end());
        if (external == External::kAccesses) touched.insert(touched.end(), objects.begin(), objects.end());
      }
    }
  }
  for (ObjectId id : ObjectsOf(points.outside())) {
    roots.push_back(id);
    touched.push_back(id);
  }
  Reach(std::move(roots), &shared_);
  Reach(std::move(touched), &touched_);
  FindUnseen(module);
}

void Sharing::FindUnseen(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || ExternalOf(facts_, *call) != External::kAccesses || !CxxLibraryUses(*call).empty() ||
          facts_.points().unknown_externals().count(callee->getName().str()) != 0)
        continue;
      for (const llvm::Value* argument : call->args()) {
        if (!argument->getType()->isPointerTy()) continue;
        for (ObjectId id : ObjectsOf(facts_.points().Of(argument))) {
          const Object& object = facts_.points().locations().object(id);
          bool memory = object.kind == ObjectKind::kGlobal || object.kind == ObjectKind::kStack ||
                        object.kind == ObjectKind::kHeap || object.kind == ObjectKind::kCaller;
          if (memory && Shared(id)) unseen_.insert(FunctionName(*callee));
        }
      }
    }
  }
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
