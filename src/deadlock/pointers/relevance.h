// Dependency analysis (Lock Correctness, 4.4): which values can matter for an operand of a lock, create or join
// operation, or for the target of an indirect call. Unification-based: values that flow into each other are one class,
// each class has one class of what is stored behind it; a class matters if it holds such an operand, or addresses of
// cells that hold a class that matters.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "deadlock/input/primitives.h"

namespace llvm {
class CallBase;
class Function;
class Module;
class Value;
}  // namespace llvm

namespace heddle::deadlock {

class Relevance {
 public:
  Relevance(llvm::Module& module, const Primitives& primitives);

  bool Relevant(const llvm::Value* value) const;
  size_t values() const { return values_.size(); }
  size_t relevant_values() const;

 private:
  using ClassId = uint32_t;
  static constexpr ClassId kNoClass = UINT32_MAX;
  struct Class {
    ClassId parent;
    ClassId behind = kNoClass;        // what is stored where its values point
    ClassId result = kNoClass;        // of the functions in it
    std::vector<ClassId> parameters;  // of the functions in it
    bool relevant = false;
    bool has_function = false;  // one with a body
  };

  ClassId New();
  ClassId Find(ClassId id) const;
  ClassId Of(const llvm::Value* value);
  ClassId Behind(ClassId id);
  ClassId Parameter(ClassId function, size_t number);
  ClassId ResultOf(ClassId function);
  void Unite(ClassId a, ClassId b);
  void Initialiser(ClassId behind, const llvm::Value* constant);
  void Visit(const llvm::Value& instruction);
  void Call(const llvm::CallBase& call);
  // Calls of external code that nothing is known about: what they are given is known outside (outside.cpp).
  bool Leaves(const llvm::CallBase& call, const Primitive* primitive) const;
  void Leave(const llvm::CallBase& call);
  void CloseOutside();
  void External(const llvm::CallBase& call, const Primitive* primitive);
  void Seed(const llvm::CallBase& call);
  ClassId StartedBy(const llvm::CallBase& call, const Primitive& primitive);
  void Close();

  llvm::Module& module_;
  const Primitives& primitives_;
  mutable std::vector<Class> classes_;  // Find shortens paths
  ClassId outside_ = 0, thrown_ = 0;
  size_t unions_ = 0;
  std::unordered_map<const llvm::Value*, ClassId> values_;
};

}  // namespace heddle::deadlock
