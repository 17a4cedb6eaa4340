// What calls do to pointers, for functions that are not in the program; for the files of the pointer analysis.
#pragma once

#include "deadlock/points_to.h"

namespace heddle::deadlock {

class ExternalModels {
 public:
  explicit ExternalModels(PointsTo& graph) : graph_(graph) {}

  // A call of a function without a body.
  void Call(const llvm::CallBase& call, llvm::Function& callee);
  // A function that code outside calls: its pointer parameters get the caller's memory.
  void Exported(llvm::Function& function);

 private:
  PointsTo::NodeId Argument(const llvm::CallBase& call, int number);
  void Allocate(const llvm::CallBase& call, int handle);
  void Create(const llvm::CallBase& call, const Primitive& primitive);
  void StdStart(const llvm::CallBase& call, const Primitive& primitive);
  void CallBack(const llvm::CallBase& call, const Primitive* primitive, std::set<llvm::Function*>* registry);
  void Unknown(const llvm::CallBase& call, llvm::Function& callee);
  void Intrinsic(const llvm::CallBase& call, llvm::Function& callee);
  void StoreThread(const llvm::CallBase& call, int handle);
  PointsTo::NodeId LoadFrom(PointsTo::NodeId address);
  ObjectId NewObject(const llvm::Value* site, ObjectKind kind, int64_t size);

  PointsTo& graph_;
};

}  // namespace heddle::deadlock
