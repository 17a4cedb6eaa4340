#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <numeric>

#include "deadlock/input/hidden_calls.h"
#include "deadlock/input/sections.h"
#include "deadlock/pointers/constraint_builder.h"
#include "deadlock/pointers/externals.h"
#include "deadlock/pointers/relevance.h"
#include "deadlock/pointers/solver_node.h"

namespace heddle::deadlock {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

bool CanPoint(const llvm::DataLayout& layout, llvm::Type* type) {
  if (type->isPointerTy()) return true;
  if (type->isVoidTy() || !type->isSized() || type->isScalableTy()) return false;
  return !type->isFloatingPointTy() && layout.getTypeStoreSize(type).getFixedValue() >= 8;
}

namespace {

// An index that is a product moves in multiples of the factor.
int64_t Factor(const llvm::Value* index) {
  if (const auto* extend = dyn_cast<llvm::CastInst>(index)) {
    if (isa<llvm::ZExtInst>(extend) || isa<llvm::SExtInst>(extend)) return Factor(extend->getOperand(0));
    return 1;
  }
  const auto* operation = dyn_cast<llvm::BinaryOperator>(index);
  if (operation == nullptr) return 1;
  const auto* constant = dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
  if (constant == nullptr || constant->getBitWidth() > 64) return 1;
  if (operation->getOpcode() == llvm::Instruction::Mul) return std::max<int64_t>(std::abs(constant->getSExtValue()), 1);
  if (operation->getOpcode() == llvm::Instruction::Shl && constant->getZExtValue() < 32)
    return int64_t{1} << constant->getZExtValue();
  return 1;
}

// In a member of a string of the C++ library (libstdc++) with the usual allocator, wherever that was inlined: its first
// bytes are the pointer to its characters.
bool InString(const llvm::Instruction& at) {
  const llvm::DILocation* place = at.getDebugLoc();
  const llvm::DISubprogram* in = place == nullptr ? nullptr : place->getScope()->getSubprogram();
  llvm::StringRef name = in == nullptr ? at.getFunction()->getName() : in->getLinkageName();
  if (!name.consume_front("_ZNSt7__cxx1112basic_stringI") && !name.consume_front("_ZNKSt7__cxx1112basic_stringI"))
    return false;
  return name.starts_with("cSt11char_traitsIcESaIcEE") || name.starts_with("wSt11char_traitsIwESaIwEE");
}

// p = phi(start, p + c): the loop walks in steps of c, however far.
bool WalksInLoop(const llvm::GEPOperator& gep) {
  const auto* phi = dyn_cast<llvm::PHINode>(gep.getPointerOperand());
  if (phi == nullptr) return false;
  for (const llvm::Value* incoming : phi->incoming_values()) {
    if (incoming == &gep) return true;
  }
  return false;
}

}  // namespace

Step StepOf(const llvm::DataLayout& layout, const llvm::GEPOperator& gep) {
  Step step;
  unsigned width = layout.getIndexTypeSizeInBits(gep.getType()->getScalarType());
  llvm::MapVector<llvm::Value*, llvm::APInt> variables;
  llvm::APInt constant(width, 0);
  if (gep.getType()->isVectorTy() || !gep.collectOffset(layout, width, variables, constant)) {
    step.stride = 1;
    step.forward = false;
    return step;
  }
  step.constant = constant.getSExtValue();
  for (const auto& [index, scale] : variables) {
    int64_t each = std::abs(scale.getSExtValue()) * Factor(index);
    step.stride = std::gcd(step.stride, each);
    if (scale.isNegative() || !llvm::isKnownNonNegative(index, llvm::SimplifyQuery(layout))) step.forward = false;
  }
  if (variables.empty() && step.constant != 0 && WalksInLoop(gep)) {
    step.stride = std::abs(step.constant);
    step.forward = step.constant > 0;
  }
  return step;
}

ConstraintBuilder::ConstraintBuilder(PointsTo& graph) : graph_(graph), layout_(graph.module_.getDataLayout()) {}

bool ConstraintBuilder::Keep(const llvm::Value* value) const {
  if (graph_.relevance_ == nullptr || graph_.relevance_->Relevant(value)) return true;
  ++graph_.stats_.dropped;
  return false;
}

void ConstraintBuilder::Copy(const llvm::Value* from, const llvm::Value* to) {
  if (!graph_.CanPointAt(to) || !graph_.CanPointAt(from) || !Keep(to)) return;
  graph_.AddCopy(graph_.NodeOf(from), graph_.NodeOf(to));
}

void ConstraintBuilder::Globals() {
  for (const llvm::GlobalVariable& global : graph_.module_.globals()) {
    LocId loc = graph_.LocOfGlobal(global);
    if (global.hasInitializer()) {
      Initialiser(graph_.locations_.loc(loc).object, 0, global.getInitializer());
    } else if (!global.isConstant() && !IsPlainLibraryFunction(global.getName().str())) {
      ExternalModels(graph_).Variable(global);
    }
  }
  for (const llvm::GlobalVariable* global : FoundByPlace(graph_.module_))
    graph_.AddLoc(graph_.Outside(), graph_.LocOfGlobal(*global));
  for (const llvm::Function& function : graph_.module_) {
    if (IsOwnAllocation(function)) graph_.AddLoc(graph_.Outside(), graph_.LocOfGlobal(function));
  }
}

void ConstraintBuilder::Initialiser(ObjectId object, int64_t offset, const llvm::Constant* value) {
  if (isa<llvm::ConstantData>(value)) return;  // numbers, null, zeros
  if (const auto* aggregate = dyn_cast<llvm::ConstantAggregate>(value)) {
    llvm::Type* type = aggregate->getType();
    for (unsigned i = 0; i < aggregate->getNumOperands(); ++i) {
      int64_t at = 0;
      if (auto* record = dyn_cast<llvm::StructType>(type)) {
        at = static_cast<int64_t>(layout_.getStructLayout(record)->getElementOffset(i));
      } else {
        at = static_cast<int64_t>(i * layout_.getTypeAllocSize(aggregate->getOperand(0)->getType()));
      }
      Initialiser(object, offset + at, cast<llvm::Constant>(aggregate->getOperand(i)));
    }
    return;
  }
  PointsTo::NodeId node = graph_.NodeOf(value);
  graph_.StoreTo(graph_.locations_.At(object, offset), {node, 8, kAnyTag});
}

void ConstraintBuilder::visitAllocaInst(llvm::AllocaInst& alloca) {
  Object object;
  object.kind = ObjectKind::kStack;
  object.site = &alloca;
  if (!alloca.isArrayAllocation()) {
    object.type = alloca.getAllocatedType();
    object.size = static_cast<int64_t>(layout_.getTypeAllocSize(object.type).getFixedValue());
  }
  ObjectId id = graph_.locations_.Add(object);
  graph_.site_objects_[&alloca] = id;
  graph_.AddLoc(graph_.NodeOf(&alloca), graph_.locations_.At(id));
}

// The characters of a string are taken to be where short ones are, in the object itself. The pointer to them is in its
// first bytes: what members of strings store there is not followed, since every string goes through the same members,
// and each would point to the characters of all.
constexpr int64_t kCharacters = 16;

void ConstraintBuilder::visitLoadInst(llvm::LoadInst& load) {
  if (!graph_.CanPointAt(&load) || !Keep(&load)) return;
  if (load.getType()->isPointerTy() && InString(load)) {
    graph_.ComplexOf(graph_.NodeOf(load.getPointerOperand()))
        .offsets.push_back({graph_.NodeOf(&load), kCharacters, 0, true});
    return;
  }
  auto bytes = static_cast<int64_t>(layout_.getTypeStoreSize(load.getType()).getFixedValue());
  graph_.ComplexOf(graph_.NodeOf(load.getPointerOperand()))
      .loads.push_back({graph_.EntryOf(&load), bytes, graph_.tags_.Of(load), graph_.types_.PathOf(load)});
}

void ConstraintBuilder::visitStoreInst(llvm::StoreInst& store) {
  const llvm::Value* value = store.getValueOperand();
  if (!graph_.CanPointAt(value) || isa<llvm::ConstantData>(value) || !Keep(value)) return;
  if (value->getType()->isPointerTy() && InString(store)) return;
  auto bytes = static_cast<int64_t>(layout_.getTypeStoreSize(value->getType()).getFixedValue());
  graph_.ComplexOf(graph_.NodeOf(store.getPointerOperand()))
      .stores.push_back({graph_.NodeOf(value), bytes, graph_.tags_.Of(store), graph_.types_.PathOf(store)});
}

void ConstraintBuilder::visitGetElementPtrInst(llvm::GetElementPtrInst& gep) {
  if (!Keep(&gep)) return;
  Step step = StepOf(layout_, cast<llvm::GEPOperator>(gep));
  if (step.constant == 0 && step.stride == 0) return Copy(gep.getPointerOperand(), &gep);
  graph_.ComplexOf(graph_.NodeOf(gep.getPointerOperand()))
      .offsets.push_back({graph_.NodeOf(&gep), step.constant, step.stride, step.forward});
}

void ConstraintBuilder::visitPHINode(llvm::PHINode& phi) {
  for (const llvm::Value* value : phi.incoming_values()) Copy(value, &phi);
}

void ConstraintBuilder::visitSelectInst(llvm::SelectInst& select) {
  Copy(select.getTrueValue(), &select);
  Copy(select.getFalseValue(), &select);
}

void ConstraintBuilder::visitCastInst(llvm::CastInst& cast) { Copy(cast.getOperand(0), &cast); }

void ConstraintBuilder::visitBinaryOperator(llvm::BinaryOperator& operation) {
  if (!graph_.CanPointAt(&operation) || !Keep(&operation)) return;
  const auto* constant = dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  bool small = constant != nullptr && constant->getBitWidth() <= 64;
  int64_t number = small ? constant->getSExtValue() : 0;
  switch (operation.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub: {
      if (!small) break;
      int64_t bytes = operation.getOpcode() == llvm::Instruction::Add ? number : -number;
      graph_.ComplexOf(graph_.NodeOf(operation.getOperand(0)))
          .offsets.push_back({graph_.NodeOf(&operation), bytes, 0, true});
      return;
    }
    case llvm::Instruction::And:  // alignment and tag bits
    case llvm::Instruction::Or:
      if (small && number >= -64 && number < 64) return Copy(operation.getOperand(0), &operation);
      break;
    case llvm::Instruction::Xor:
      ++graph_.mixed_addresses_;
      return;
    default:
      return;  // products, quotients and shifts are no addresses
  }
  bool difference = operation.getOpcode() == llvm::Instruction::Sub;
  for (const llvm::Value* operand : operation.operands()) {
    // The difference of two addresses is none; address minus number is.
    if (isa<llvm::ConstantData>(operand) || (difference && isa<llvm::PtrToIntInst>(operation.getOperand(1)))) continue;
    if (difference && operand == operation.getOperand(1)) continue;
    graph_.ComplexOf(graph_.NodeOf(operand)).offsets.push_back({graph_.NodeOf(&operation), 0, 1, false});
  }
}

void ConstraintBuilder::visitReturnInst(llvm::ReturnInst& ret) {
  const llvm::Value* value = ret.getReturnValue();
  if (value == nullptr || !graph_.CanPointAt(value)) return;
  graph_.AddCopy(graph_.NodeOf(value), graph_.ReturnNode(ret.getFunction()));
}

void ConstraintBuilder::visitAtomicRMWInst(llvm::AtomicRMWInst& update) {
  if (!graph_.CanPointAt(&update) || !Keep(&update)) return;
  PointsTo::NodeId address = graph_.NodeOf(update.getPointerOperand());
  graph_.ComplexOf(address).loads.push_back({graph_.NodeOf(&update), 8, graph_.tags_.Of(update)});
  graph_.ComplexOf(address).stores.push_back({graph_.NodeOf(update.getValOperand()), 8, graph_.tags_.Of(update)});
}

void ConstraintBuilder::visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst& exchange) {
  if (!CanPoint(layout_, exchange.getNewValOperand()->getType())) return;
  PointsTo::NodeId address = graph_.NodeOf(exchange.getPointerOperand());
  graph_.ComplexOf(address).loads.push_back({graph_.NodeOf(&exchange), 8, graph_.tags_.Of(exchange)});
  graph_.ComplexOf(address).stores.push_back(
      {graph_.NodeOf(exchange.getNewValOperand()), 8, graph_.tags_.Of(exchange)});
}

void ConstraintBuilder::visitLandingPadInst(llvm::LandingPadInst& pad) {
  if (!caught_foreign_) {
    // What code outside of the program has thrown.
    caught_foreign_ = true;
    Object foreign;
    foreign.kind = ObjectKind::kExternal;
    foreign.harmless = true;
    graph_.AddLoc(graph_.thrown_, graph_.locations_.At(graph_.locations_.Add(foreign)));
  }
  graph_.AddCopy(graph_.thrown_, graph_.NodeOf(&pad));
}
void ConstraintBuilder::visitResumeInst(llvm::ResumeInst& resume) {
  graph_.AddCopy(graph_.NodeOf(resume.getValue()), graph_.thrown_);
}

void ConstraintBuilder::visitInstruction(llvm::Instruction& instruction) {
  if (instruction.getType()->isVoidTy()) return;
  for (const llvm::Value* operand : instruction.operands()) {
    if (!isa<llvm::BasicBlock>(operand) && operand->getType()->isSized()) Copy(operand, &instruction);
  }
}

void ConstraintBuilder::visitCallBase(llvm::CallBase& call) {
  if (call.isInlineAsm()) {
    ++graph_.inline_assembly_;
    return;
  }
  if (isa<llvm::DbgInfoIntrinsic>(call)) return;
  const auto* callee = dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  if (callee != nullptr) {
    graph_.ConnectCall(call, *const_cast<llvm::Function*>(callee));
  } else {
    graph_.AddIndirectCall(call);
  }
}

PointsTo::PointsTo(llvm::Module& module, const Primitives& primitives, bool is_library, const Relevance* relevance)
    : module_(module),
      primitives_(primitives),
      relevance_(relevance),
      locations_(module.getDataLayout()),
      types_(module, primitives),
      tables_(module),
      carriers_(module, primitives, tags_) {
  specific_ = NewNode();
  thrown_ = NewNode();
  thread_results_ = NewNode();
  ConstraintBuilder builder(*this);
  builder.Globals();
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    builder.visit(function);
    if (is_library && IsEntryOfLibrary(function)) ExternalModels(*this).Exported(function);
  }
  if (llvm::Function* entry = module.getFunction("main")) ExternalModels(*this).Exported(*entry);
}

PointsTo::~PointsTo() = default;

}  // namespace heddle::deadlock
