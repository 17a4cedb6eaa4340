#include "instrument/pass/weave_events.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

constexpr const char* kEmitName = "__heddle_aspect";
constexpr const char* kPeekName = "__heddle_peek";
constexpr const char* kDeclareName = "__heddle_declare_events";
constexpr unsigned kWordBytes = 8;

void Complain(IRBuilder<>& builder, const WeaveOrder& order, const Twine& what) {
  BasicBlock* block = builder.GetInsertBlock();
  block->getContext().emitError("heddle: " + Twine(order.event) + " at `" + order.target + "` in `" +
                                block->getParent()->getName() + "`: " + what);
}

// Integers keep their sign; null for what is neither integer nor pointer.
Value* AsWord(IRBuilder<>& builder, Value* value, bool unsigned_hint) {
  Type* type = value->getType();
  if (type->isPointerTy()) return builder.CreatePtrToInt(value, builder.getInt64Ty());
  if (!type->isIntegerTy()) return nullptr;
  bool zero = unsigned_hint || type->isIntegerTy(1);
  return builder.CreateIntCast(value, builder.getInt64Ty(), !zero);
}

const DIType* StripNames(const DIType* type) {
  while (const auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    unsigned tag = derived->getTag();
    bool name = tag == dwarf::DW_TAG_typedef || tag == dwarf::DW_TAG_const_type || tag == dwarf::DW_TAG_volatile_type ||
                tag == dwarf::DW_TAG_restrict_type;
    if (!name) break;
    type = derived->getBaseType();
  }
  return type;
}

// The bytes at the end of `stars` dereferences of a parameter (-1: of the result), as far as debug information or the
// argument itself tell; else a word.
unsigned PointedBytes(const Function* callee, int parameter, unsigned stars, const Value* argument) {
  const DISubprogram* program = callee == nullptr ? nullptr : callee->getSubprogram();
  if (program != nullptr && program->getType() != nullptr) {
    DITypeRefArray types = program->getType()->getTypeArray();
    auto at = static_cast<unsigned>(parameter + 1);
    const DIType* type = at < types.size() ? StripNames(types[at]) : nullptr;
    for (unsigned i = 0; i < stars && type != nullptr; ++i) {
      const auto* pointer = dyn_cast<DIDerivedType>(type);
      type = pointer == nullptr ? nullptr : StripNames(pointer->getBaseType());
    }
    if (type != nullptr && type->getSizeInBits() > 0) {
      return std::min<unsigned>(kWordBytes, static_cast<unsigned>(type->getSizeInBits() / 8));
    }
  }
  const auto* place = argument == nullptr || stars != 1 ? nullptr : dyn_cast<AllocaInst>(argument->stripPointerCasts());
  if (place == nullptr || !place->getAllocatedType()->isIntegerTy()) return kWordBytes;
  return std::max(1U, std::min(kWordBytes, place->getAllocatedType()->getIntegerBitWidth() / 8));
}

// The runtime reads: it takes null as 0.
Value* Dereference(IRBuilder<>& builder, Value* word, unsigned stars, unsigned last_bytes) {
  Module& module = *builder.GetInsertBlock()->getModule();
  FunctionCallee peek =
      module.getOrInsertFunction(kPeekName, builder.getInt64Ty(), builder.getInt64Ty(), builder.getInt32Ty());
  for (unsigned i = 0; i < stars; ++i) {
    word = builder.CreateCall(peek, {word, builder.getInt32(i + 1 == stars ? last_bytes : kWordBytes)});
  }
  return word;
}

struct Taken {
  Value* value = nullptr;
  bool zero_extended = false;
  unsigned bytes = kWordBytes;  // at the end of its dereferences
};

// Parameters that only the calling convention knows (where a struct is returned to) do not count.
Taken TakeArgument(const Capture& capture, const JoinPointValues& values) {
  Taken taken;
  unsigned shift = 0;
  if (values.call != nullptr) {
    shift = values.call->arg_size() > 0 && values.call->paramHasAttr(0, Attribute::StructRet) ? 1 : 0;
    unsigned at = capture.index + shift;
    if (at >= values.call->arg_size()) return taken;
    taken.value = values.call->getArgOperand(at);
    taken.zero_extended = values.call->paramHasAttr(at, Attribute::ZExt);
  } else {
    shift = values.body->arg_size() > 0 && values.body->hasParamAttribute(0, Attribute::StructRet) ? 1 : 0;
    unsigned at = capture.index + shift;
    if (at >= values.body->arg_size()) return taken;
    taken.value = values.body->getArg(at);
    taken.zero_extended = values.body->hasParamAttribute(at, Attribute::ZExt);
  }
  taken.bytes = PointedBytes(values.callee, static_cast<int>(capture.index), capture.stars, taken.value);
  return taken;
}

Taken TakeReturned(const Capture& capture, const JoinPointValues& values) {
  Taken taken;
  taken.value = values.call != nullptr ? static_cast<Value*>(values.call) : values.returned;
  if (taken.value != nullptr && taken.value->getType()->isVoidTy()) taken.value = nullptr;
  if (values.call != nullptr) taken.zero_extended = values.call->hasRetAttr(Attribute::ZExt);
  taken.bytes = PointedBytes(values.callee, -1, capture.stars, nullptr);
  return taken;
}

Value* AccessWord(IRBuilder<>& builder, CaptureKind kind, const JoinPointValues& values) {
  if (kind == CaptureKind::kSize) return values.bytes;
  if (kind == CaptureKind::kAddress) return builder.CreatePtrToInt(values.address, builder.getInt64Ty());
  if (values.value != nullptr) {
    if (Value* word = AsWord(builder, values.value, false)) return word;
  }
  const auto* constant = dyn_cast<ConstantInt>(values.bytes);
  auto bytes =
      constant == nullptr ? kWordBytes : static_cast<unsigned>(std::min<uint64_t>(constant->getZExtValue(), 8));
  return Dereference(builder, builder.CreatePtrToInt(values.address, builder.getInt64Ty()), 1, std::max(1U, bytes));
}

Value* CaptureField(IRBuilder<>& builder, const WeaveOrder& order, const Capture& capture,
                    const JoinPointValues& values) {
  bool of_function = capture.kind == CaptureKind::kArgument || capture.kind == CaptureKind::kReturn;
  if (!of_function) return AccessWord(builder, capture.kind, values);
  bool returned = capture.kind == CaptureKind::kReturn;
  Taken taken = returned ? TakeReturned(capture, values) : TakeArgument(capture, values);
  if (taken.value == nullptr) {
    Complain(builder, order, returned ? Twine("it returns nothing") : "there is no argument #" + Twine(capture.index));
    return builder.getInt64(0);
  }
  Value* word = AsWord(builder, taken.value, taken.zero_extended);
  if (word == nullptr) {
    Complain(builder, order, "only integers and pointers can be captured");
    return builder.getInt64(0);
  }
  return Dereference(builder, word, capture.stars, taken.bytes);
}

Constant* Text(Module& module, StringRef text) {
  std::string name = ("heddle.event." + text).str();
  if (GlobalVariable* known = module.getGlobalVariable(name, true)) return known;
  Constant* data = ConstantDataArray::getString(module.getContext(), text);
  auto* variable = new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, name);
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return variable;
}

}  // namespace

void EmitEvent(IRBuilder<>& builder, const WeaveOrder& order, const JoinPointValues& values) {
  Module& module = *builder.GetInsertBlock()->getModule();
  SmallVector<Value*, 6> arguments = {Text(module, order.event),
                                      builder.getInt32(static_cast<unsigned>(order.captures.size()))};
  for (const Capture& capture : order.captures) arguments.push_back(CaptureField(builder, order, capture, values));
  auto* type = FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), builder.getInt32Ty()}, true);
  builder.CreateCall(module.getOrInsertFunction(kEmitName, type), arguments);
}

void DeclareEvents(Module& module, const std::vector<WeaveOrder>& orders) {
  LLVMContext& context = module.getContext();
  auto* function = Function::Create(FunctionType::get(Type::getVoidTy(context), false), GlobalValue::InternalLinkage,
                                    "heddle.declare_events", module);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  FunctionCallee declare = module.getOrInsertFunction(kDeclareName, builder.getVoidTy(), builder.getPtrTy());
  StringSet<> known;
  for (const WeaveOrder& order : orders) {
    if (known.insert(order.event).second) builder.CreateCall(declare, {Text(module, order.event)});
  }
  builder.CreateRetVoid();
  appendToGlobalCtors(module, function, 1);
}

}  // namespace heddle::instrument
