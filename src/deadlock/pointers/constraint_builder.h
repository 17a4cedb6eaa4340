// Turns instructions into constraints of points_to.h; for the files that implement it.
#pragma once

#include <llvm/IR/InstVisitor.h>
#include <llvm/IR/Operator.h>

#include "deadlock/pointers/points_to.h"

namespace heddle::deadlock {

class ConstraintBuilder : public llvm::InstVisitor<ConstraintBuilder> {
 public:
  explicit ConstraintBuilder(PointsTo& graph);

  void Globals();
  void visitAllocaInst(llvm::AllocaInst& alloca);
  void visitLoadInst(llvm::LoadInst& load);
  void visitStoreInst(llvm::StoreInst& store);
  void visitGetElementPtrInst(llvm::GetElementPtrInst& gep);
  void visitPHINode(llvm::PHINode& phi);
  void visitSelectInst(llvm::SelectInst& select);
  void visitCastInst(llvm::CastInst& cast);
  void visitBinaryOperator(llvm::BinaryOperator& operation);
  void visitReturnInst(llvm::ReturnInst& ret);
  void visitAtomicRMWInst(llvm::AtomicRMWInst& update);
  void visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst& exchange);
  void visitLandingPadInst(llvm::LandingPadInst& pad);
  void visitResumeInst(llvm::ResumeInst& resume);
  void visitCallBase(llvm::CallBase& call);
  void visitInstruction(llvm::Instruction& instruction);  // everything else: what goes in may come out

 private:
  void Copy(const llvm::Value* from, const llvm::Value* to);
  void Initialiser(ObjectId object, int64_t offset, const llvm::Constant* value);
  bool Keep(const llvm::Value* value) const;

  PointsTo& graph_;
  const llvm::DataLayout& layout_;
  bool caught_foreign_ = false;
};

// Whether a value of this type can hold an address.
bool CanPoint(const llvm::DataLayout& layout, llvm::Type* type);

// Whether the call gives what the function takes; if it does not, the call is undefined.
bool Fits(const llvm::CallBase& call, const llvm::Function& callee);

// The size of an allocation in bytes; 0 when it is not known: malloc(N), calloc(M, N) and operator new(N).
int64_t AllocatedBytes(const llvm::CallBase& call);

// How a variable index moves: a multiple of what, and whether only forward.
struct Step {
  int64_t constant = 0;
  int64_t stride = 0;
  bool forward = true;
};
Step StepOf(const llvm::DataLayout& layout, const llvm::GEPOperator& gep);

}  // namespace heddle::deadlock
