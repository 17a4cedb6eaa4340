#include "instrument/pass/weave.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "instrument/pass/aspect_target.h"
#include "instrument/pass/weave_events.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

using What = WeaveOrder::What;

// One way in which an instruction accesses a global variable.
struct GlobalAccess {
  bool reads = false;
  bool writes = false;
  Value* address = nullptr;
  Value* bytes = nullptr;
  Value* read_value = nullptr;     // known after it
  Value* written_value = nullptr;  // known before it
};

class Weaver {
 public:
  Weaver(Module& module, std::vector<WeaveOrder> orders) : module_(module), orders_(std::move(orders)) {}

  bool Run() {
    std::vector<Function*> functions;
    for (Function& function : module_) {
      if (!function.isDeclaration()) functions.push_back(&function);
    }
    for (Function* function : functions) WeaveFunction(*function);
    if (!orders_.empty()) DeclareEvents(module_, orders_);
    return !orders_.empty();
  }

 private:
  void WeaveFunction(Function& function) {
    SmallVector<Instruction*, 64> all;
    for (Instruction& instruction : instructions(function)) all.push_back(&instruction);
    for (Instruction* instruction : all) {
      if (auto* call = dyn_cast<CallBase>(instruction)) WeaveCall(*call);
      WeaveAccesses(*instruction);
    }
    for (const WeaveOrder& order : orders_) {
      if (order.what == What::kLine) WeaveLine(function, order, all);
      if (order.what == What::kBody && NamesFunction(order.target, function)) WeaveBody(function, order);
    }
  }

  // Where something after the instruction goes; null: nothing comes after it.
  static Instruction* Behind(Instruction& instruction) {
    if (auto* invoke = dyn_cast<InvokeInst>(&instruction)) {
      BasicBlock* normal = invoke->getNormalDest();
      if (normal->getSinglePredecessor() == nullptr) normal = SplitEdge(invoke->getParent(), normal);
      return &*normal->getFirstInsertionPt();
    }
    return instruction.isTerminator() ? nullptr : instruction.getNextNode();
  }

  static void Emit(Instruction* at, const DebugLoc& place, const WeaveOrder& order, const JoinPointValues& values) {
    if (at == nullptr) return;
    IRBuilder<> builder(at);
    builder.SetCurrentDebugLocation(place);
    EmitEvent(builder, order, values);
  }

  void WeaveCall(CallBase& call) {
    auto* callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
    if (callee == nullptr || callee->isIntrinsic()) return;
    Instruction* behind = nullptr;
    for (const WeaveOrder& order : orders_) {
      if (order.what != What::kCall || !NamesFunction(order.target, *callee)) continue;
      JoinPointValues values;
      values.call = &call;
      values.callee = callee;
      if (order.after && behind == nullptr) behind = Behind(call);
      Emit(order.after ? behind : &call, call.getDebugLoc(), order, values);
    }
  }

  void WeaveBody(Function& function, const WeaveOrder& order) {
    JoinPointValues values;
    values.body = &function;
    values.callee = &function;
    DebugLoc place;
    if (DISubprogram* program = function.getSubprogram()) {
      place = DILocation::get(function.getContext(), program->getLine(), 0, program);
    }
    if (!order.after) {
      BasicBlock::iterator at = function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
      return Emit(&*at, place, order, values);
    }
    for (BasicBlock& block : function) {
      auto* end = dyn_cast<ReturnInst>(block.getTerminator());
      if (end == nullptr) continue;
      values.returned = end->getReturnValue();
      CallInst* last = block.getTerminatingMustTailCall();
      Emit(last != nullptr ? static_cast<Instruction*>(last) : end, end->getDebugLoc() ? end->getDebugLoc() : place,
           order, values);
    }
  }

  const GlobalVariable* Underlying(Value* address) const {
    return dyn_cast<GlobalVariable>(getUnderlyingObject(address, 0));
  }

  Value* Bytes(Type* type) const {
    return ConstantInt::get(Type::getInt64Ty(module_.getContext()), module_.getDataLayout().getTypeStoreSize(type));
  }

  // An instruction may access two variables: a copy from one to the other.
  SmallVector<GlobalAccess, 2> AccessesOf(Instruction& instruction) const {
    SmallVector<GlobalAccess, 2> found;
    if (auto* load = dyn_cast<LoadInst>(&instruction)) {
      found.push_back({true, false, load->getPointerOperand(), Bytes(load->getType()), load, nullptr});
    } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
      Value* value = store->getValueOperand();
      found.push_back({false, true, store->getPointerOperand(), Bytes(value->getType()), nullptr, value});
    } else if (auto* rmw = dyn_cast<AtomicRMWInst>(&instruction)) {
      found.push_back({true, true, rmw->getPointerOperand(), Bytes(rmw->getType()), rmw, nullptr});
    } else if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      Value* value = swap->getNewValOperand();
      found.push_back({true, true, swap->getPointerOperand(), Bytes(value->getType()), nullptr, value});
    } else if (auto* transfer = dyn_cast<MemTransferInst>(&instruction)) {
      found.push_back({true, false, transfer->getRawSource(), transfer->getLength(), nullptr, nullptr});
      found.push_back({false, true, transfer->getRawDest(), transfer->getLength(), nullptr, nullptr});
    } else if (auto* fill = dyn_cast<MemSetInst>(&instruction)) {
      found.push_back({false, true, fill->getRawDest(), fill->getLength(), nullptr, nullptr});
    } else if (auto* call = dyn_cast<CallBase>(&instruction)) {
      AddAtomicMember(*call, found);
    }
    return found;
  }

  // x.load() of a std::atomic: the access itself is inside the library's function.
  void AddAtomicMember(CallBase& call, SmallVectorImpl<GlobalAccess>& found) const {
    auto* callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
    if (callee == nullptr || call.arg_empty() || !call.getArgOperand(0)->getType()->isPointerTy()) return;
    const GlobalVariable* variable = Underlying(call.getArgOperand(0));
    AtomicUse use = variable == nullptr ? AtomicUse::kNone : UseOfAtomic(*callee);
    if (use == AtomicUse::kNone) return;
    bool write = use == AtomicUse::kWrite && call.arg_size() > 1;
    found.push_back({use != AtomicUse::kWrite, use != AtomicUse::kRead, call.getArgOperand(0),
                     Bytes(variable->getValueType()), use == AtomicUse::kRead ? &call : nullptr,
                     write ? call.getArgOperand(1) : nullptr});
  }

  void WeaveAccesses(Instruction& instruction) {
    Instruction* behind = nullptr;
    for (const GlobalAccess& access : AccessesOf(instruction)) {
      const GlobalVariable* variable = Underlying(access.address);
      if (variable == nullptr) continue;
      for (const WeaveOrder& order : orders_) {
        bool read = order.what == What::kRead && access.reads;
        bool write = order.what == What::kWrite && access.writes;
        if ((!read && !write) || !NamesVariable(order.target, *variable)) continue;
        JoinPointValues values;
        values.address = access.address;
        values.bytes = access.bytes;
        values.value = read ? (order.after ? access.read_value : nullptr) : access.written_value;
        if (order.after && behind == nullptr) behind = Behind(instruction);
        Emit(order.after ? behind : &instruction, instruction.getDebugLoc(), order, values);
      }
    }
  }

  static bool IsFile(StringRef wanted, const DILocation& place) {
    StringRef file = place.getFilename();
    if (file == wanted) return true;
    return file.ends_with(wanted) && file[file.size() - wanted.size() - 1] == '/';
  }

  // One join-point in each function that has code of the line: its first instruction, or its last.
  static void WeaveLine(Function& function, const WeaveOrder& order, ArrayRef<Instruction*> all) {
    auto [file, number] = StringRef(order.target).rsplit(':');
    unsigned line = 0;
    if (number.getAsInteger(10, line)) return;
    Instruction* found = nullptr;
    for (Instruction* instruction : all) {
      const DILocation* place = instruction->getDebugLoc().get();
      bool code = !isa<PHINode>(instruction) && !isa<AllocaInst>(instruction) && !isa<DbgInfoIntrinsic>(instruction);
      if (place == nullptr || !code || place->getLine() != line || !IsFile(file, *place)) continue;
      if (found == nullptr || order.after) found = instruction;
    }
    if (found == nullptr) return;
    Instruction* at = order.after && !found->isTerminator() ? found->getNextNode() : found;
    Emit(at, found->getDebugLoc(), order, {});
  }

  Module& module_;
  std::vector<WeaveOrder> orders_;
};

}  // namespace

bool Weave(Module& module, StringRef orders) { return Weaver(module, ReadWeaveOrders(orders)).Run(); }

}  // namespace heddle::instrument
