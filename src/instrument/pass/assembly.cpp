#include "instrument/pass/assembly.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <optional>

#include "wire/assembly.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

struct Text {
  bool locked = false;  // a lock prefix or an xchg
  bool fence = false;   // mfence
  bool only_moves = true;
  bool jumps = false;
  bool empty = true;
  char suffix = 0;  // of the atomic instruction: b, w, l, q
};

// The letter that says how large the operand is; 0: the instruction has none.
char SuffixOf(StringRef mnemonic) {
  constexpr StringLiteral kStems[] = {"cmpxchg", "xchg", "xadd", "add", "sub", "inc", "dec", "and",
                                      "or",      "xor",  "bts",  "btr", "btc", "neg", "not", "mov"};
  for (StringRef stem : kStems) {
    StringRef rest = mnemonic;
    if (rest.consume_front(stem) && rest.size() == 1 && StringRef("bwlq").contains(rest[0])) return rest[0];
  }
  return 0;
}

void ReadInstruction(StringRef line, bool* prefixed, Text* text) {
  line = line.trim(" \t");
  size_t colon = line.find(':');
  if (colon != StringRef::npos && line.substr(0, colon).find_first_of(" \t$%(") == StringRef::npos) {
    text->jumps = true;  // a label: something jumps there
    line = line.substr(colon + 1).trim(" \t");
  }
  if (line.empty() || line.starts_with("#") || line.starts_with(".")) return;
  text->empty = false;
  auto [mnemonic, rest] = line.split(' ');
  if (size_t tab = mnemonic.find('\t'); tab != StringRef::npos) mnemonic = mnemonic.substr(0, tab);
  std::string word = mnemonic.lower();
  if (word == "lock") {
    text->locked = *prefixed = true;
    return ReadInstruction(line.drop_front(4), prefixed, text);
  }
  StringRef name(word);
  bool swaps = name.starts_with("xchg");
  if (swaps || *prefixed) text->suffix = SuffixOf(name);
  text->locked |= swaps;
  text->fence |= name == "mfence";
  text->only_moves &= name.starts_with("mov") && !name.starts_with("movs");
  if (name.starts_with("mov")) text->suffix = SuffixOf(name);
  text->jumps |= name.starts_with("j") || name.starts_with("loop") || name.starts_with("call");
  *prefixed = false;
}

Text Read(StringRef assembly) {
  Text text;
  bool prefixed = false;
  SmallVector<StringRef, 8> lines;
  SmallVector<StringRef, 8> parts;
  assembly.split(lines, '\n');
  for (StringRef line : lines) line.split(parts, ';');
  for (StringRef part : parts) ReadInstruction(part, &prefixed, &text);
  return text;
}

// The memory that the assembly names.
struct Operand {
  Value* address = nullptr;
  uint64_t bytes = 0;
  bool read = false;
  bool written = false;
};

uint64_t BytesOfSuffix(char suffix) {
  return suffix == 'b' ? 1 : suffix == 'w' ? 2 : suffix == 'l' ? 4 : suffix == 'q' ? 8 : 0;
}

// Operands in memory ("m") of one address; none when there are several.
std::optional<Operand> MemoryOperand(CallInst& call, const InlineAsm& assembly, const DataLayout& layout) {
  Operand found;
  unsigned argument = 0;
  for (const InlineAsm::ConstraintInfo& constraint : assembly.ParseConstraints()) {
    if (constraint.Type == InlineAsm::isClobber || constraint.Type == InlineAsm::isLabel) continue;
    bool takes = constraint.Type == InlineAsm::isInput || constraint.isIndirect;
    if (!takes) continue;
    unsigned index = argument++;
    if (index >= call.arg_size()) return std::nullopt;
    if (!constraint.isIndirect) continue;
    Type* element = call.getParamElementType(index);
    Value* address = call.getArgOperand(index);
    if (element == nullptr || !element->isSized()) return std::nullopt;
    if (found.address != nullptr && found.address != address) return std::nullopt;
    found.address = address;
    found.bytes = layout.getTypeStoreSize(element).getFixedValue();
    (constraint.Type == InlineAsm::isOutput ? found.written : found.read) = true;
  }
  if (found.address == nullptr) return std::nullopt;
  return found;
}

// A pointer in a register that the text uses as "($N)".
std::optional<Operand> RegisterOperand(CallInst& call, const InlineAsm& assembly) {
  Operand found;
  unsigned argument = 0;
  unsigned number = 0;
  for (const InlineAsm::ConstraintInfo& constraint : assembly.ParseConstraints()) {
    if (constraint.Type == InlineAsm::isClobber || constraint.Type == InlineAsm::isLabel) continue;
    unsigned shown = number++;
    bool takes = constraint.Type == InlineAsm::isInput || constraint.isIndirect;
    if (!takes) continue;
    unsigned index = argument++;
    if (index >= call.arg_size() || !call.getArgOperand(index)->getType()->isPointerTy()) continue;
    if (!StringRef(assembly.getAsmString()).contains("($" + utostr(shown) + ")")) continue;
    if (found.address != nullptr) return std::nullopt;
    found.address = call.getArgOperand(index);
    found.read = found.written = true;
  }
  if (found.address == nullptr) return std::nullopt;
  return found;
}

bool IsSize(uint64_t bytes) { return bytes != 0 && bytes <= 16 && (bytes & (bytes - 1)) == 0; }

// Nobody else can have its address.
bool IsPrivate(const Value* address) {
  const Value* object = getUnderlyingObject(address);
  return isa<AllocaInst>(object) && !PointerMayBeCaptured(object, true, true);
}

uint32_t KindOf(const Text& text, const Operand& operand) {
  if (text.locked) return kAssemblyUpdate;
  if (operand.read && operand.written) return kAssemblyUpdate;
  return operand.written ? kAssemblyStore : kAssemblyLoad;
}

void AddFence(CallInst& call) {
  IRBuilder<> builder(&call);
  constexpr int kSeqCst = 5;
  FunctionCallee fence =
      call.getModule()->getOrInsertFunction("__tsan_atomic_thread_fence", builder.getVoidTy(), builder.getInt32Ty());
  builder.CreateCall(fence, {builder.getInt32(kSeqCst)});
}

void Surround(CallInst& call, const Operand& operand, uint32_t what) {
  IRBuilder<> builder(&call);
  Module& module = *call.getModule();
  Type* pointer = PointerType::getUnqual(module.getContext());
  auto function = [&](const char* name) {
    return module.getOrInsertFunction(name, builder.getVoidTy(), pointer, builder.getInt32Ty());
  };
  builder.CreateCall(function("__heddle_assembly_begin"), {operand.address, builder.getInt32(what)});
  builder.SetInsertPoint(call.getNextNode());
  builder.CreateCall(function("__heddle_assembly_end"), {operand.address, builder.getInt32(what)});
}

bool Announce(CallInst& call, const InlineAsm& assembly) {
  Text text = Read(assembly.getAsmString());
  if (text.empty || !(text.locked || text.fence || text.only_moves)) return false;
  const DataLayout& layout = call.getModule()->getDataLayout();
  std::optional<Operand> operand = MemoryOperand(call, assembly, layout);
  if (!operand && !text.fence) operand = RegisterOperand(call, assembly);
  if (operand && operand->bytes == 0) operand->bytes = BytesOfSuffix(text.suffix);
  if (!operand || IsPrivate(operand->address)) {
    if (!text.locked && !text.fence) return false;
    AddFence(call);
    return true;
  }
  if (text.suffix != 0 && text.locked) operand->bytes = BytesOfSuffix(text.suffix);
  if (!IsSize(operand->bytes)) return false;
  uint32_t what = KindOf(text, *operand) | static_cast<uint32_t>(operand->bytes);
  Surround(call, *operand, text.jumps ? what | kAssemblyWaits : what);
  return true;
}

}  // namespace

bool AnnounceAssembly(Function& function) {
  if (Triple(function.getParent()->getTargetTriple()).getArch() != Triple::x86_64) return false;
  SmallVector<CallInst*, 8> calls;
  for (Instruction& instruction : instructions(function)) {
    auto* call = dyn_cast<CallInst>(&instruction);
    if (call != nullptr && call->isInlineAsm()) calls.push_back(call);
  }
  bool changed = false;
  for (CallInst* call : calls) changed |= Announce(*call, *cast<InlineAsm>(call->getCalledOperand()));
  return changed;
}

}  // namespace heddle::instrument
