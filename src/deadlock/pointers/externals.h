// What calls do to pointers, for functions that are not in the program; for the files of the pointer analysis.
#pragma once

#include "deadlock/pointers/points_to.h"

namespace llvm {
class GlobalVariable;
}

namespace heddle::deadlock {

class ExternalModels {
 public:
  explicit ExternalModels(PointsTo& graph) : graph_(graph) {}

  // A call of a function without a body.
  void Call(const llvm::CallBase& call, llvm::Function& callee);
  // A variable of external code: what the program stores there is known outside.
  void Variable(const llvm::GlobalVariable& global);
  // A function that code outside calls: its pointer parameters get the caller's memory.
  void Exported(llvm::Function& function);

 private:
  PointsTo::NodeId Argument(const llvm::CallBase& call, int number);
  void Allocate(const llvm::CallBase& call, int handle);
  void Create(const llvm::CallBase& call, const Primitive& primitive);
  void StdStart(const llvm::CallBase& call, const Primitive& primitive);
  void CallBack(const llvm::CallBase& call, const Primitive* primitive, std::set<llvm::Function*>* registry);
  void Unknown(const llvm::CallBase& call, llvm::Function& callee);
  void Keep(const llvm::CallBase& call, llvm::Function& callee);
  void Plain(const llvm::CallBase& call, llvm::Function& callee);
  void Symbol(const llvm::CallBase& call, llvm::Function& callee);
  void Subobject(const llvm::CallBase& call);
  void Elements(const llvm::CallBase& call, llvm::StringRef name);
  void Link(const llvm::CallBase& call);
  // Memory of external code's own, that it hands out: one object for each function or variable.
  LocId Memory(const llvm::Value& of, bool harmless = false);
  PointsTo::NodeId Channel();
  void Transfer(const llvm::CallBase& call, const Primitive& primitive, bool sends);
  void Intrinsic(const llvm::CallBase& call, llvm::Function& callee);
  void StoreThread(const llvm::CallBase& call, int handle);
  PointsTo::NodeId LoadFrom(PointsTo::NodeId address);
  ObjectId NewObject(const llvm::Value* site, ObjectKind kind, int64_t size);

  PointsTo& graph_;
};

}  // namespace heddle::deadlock
