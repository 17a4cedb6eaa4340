#include "litmus/optcheck/machine_code.h"

#include <elf.h>
#include <llvm-c/Disassembler.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/file.h"

extern "C" {
#define HEDDLE_TARGET(name)                \
  void LLVMInitialize##name##TargetInfo(); \
  void LLVMInitialize##name##TargetMC();   \
  void LLVMInitialize##name##Disassembler()
HEDDLE_TARGET(X86);
HEDDLE_TARGET(AArch64);
HEDDLE_TARGET(RISCV);
HEDDLE_TARGET(PowerPC);
#undef HEDDLE_TARGET
}

namespace heddle::litmus {
namespace {

struct Code {
  Machine machine;
  std::string bytes;
  uint64_t address = 0;
};

template <typename T>
bool ReadAt(const std::string& file, uint64_t offset, T& out) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return false;
  std::memcpy(&out, file.data() + offset, sizeof(T));
  return true;
}

Error Unreadable(const std::string& path) {
  return MakeError(ErrorCode::kUnsupported, path + ": not a program with symbols for x86-64, AArch64, RISC-V or Power");
}

std::optional<Machine> MachineOf(uint16_t number) {
  switch (number) {
    case EM_X86_64:
      return Machine::kX86_64;
    case EM_AARCH64:
      return Machine::kAArch64;
    case EM_RISCV:
      return Machine::kRiscv64;
    case EM_PPC64:
      return Machine::kPpc64le;
    default:
      return std::nullopt;
  }
}

Result<Code> FindFunction(const std::string& path, const std::string& name) {
  Result<std::string> file = ReadFile(path);
  if (!file) return file.error();
  Elf64_Ehdr head;
  if (!ReadAt(*file, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return Unreadable(path);
  std::optional<Machine> machine = MachineOf(head.e_machine);
  if (!machine) return Unreadable(path);
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  for (size_t i = 0; i < sections.size(); ++i) {
    if (!ReadAt(*file, head.e_shoff + i * sizeof(Elf64_Shdr), sections[i])) return Unreadable(path);
  }
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[table.sh_link];
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!ReadAt(*file, table.sh_offset + at, symbol) || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      uint64_t text = names.sh_offset + symbol.st_name;
      if (text >= file->size()) continue;
      std::string found(file->c_str() + text);
      if (found != name && !found.starts_with(name + ".")) continue;
      if (symbol.st_shndx >= sections.size()) continue;
      const Elf64_Shdr& section = sections[symbol.st_shndx];
      uint64_t offset = section.sh_offset + (symbol.st_value - section.sh_addr);
      if (offset > file->size() || file->size() - offset < symbol.st_size) return Unreadable(path);
      return Code{*machine, file->substr(offset, symbol.st_size), symbol.st_value};
    }
  }
  return MakeError(ErrorCode::kUnsupported, path + ": there is no function " + name);
}

LLVMDisasmContextRef MakeContext(Machine machine) {
  static const bool ready = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64Disassembler();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
    LLVMInitializePowerPCTargetInfo();
    LLVMInitializePowerPCTargetMC();
    LLVMInitializePowerPCDisassembler();
    return true;
  }();
  (void)ready;
  switch (machine) {
    case Machine::kX86_64:
      return LLVMCreateDisasm("x86_64-pc-linux-gnu", nullptr, 0, nullptr, nullptr);
    case Machine::kAArch64:
      return LLVMCreateDisasmCPUFeatures("aarch64-linux-gnu", "", "+v8.4a", nullptr, 0, nullptr, nullptr);
    case Machine::kRiscv64:
      return LLVMCreateDisasmCPUFeatures("riscv64-linux-gnu", "", "+m,+a,+f,+d,+c", nullptr, 0, nullptr, nullptr);
    case Machine::kPpc64le:
      return LLVMCreateDisasmCPUFeatures("powerpc64le-linux-gnu", "pwr8", "", nullptr, 0, nullptr, nullptr);
  }
  return nullptr;
}

}  // namespace

Result<MachineCode> ReadMachineCode(const std::string& path, const std::string& function) {
  Result<Code> code = FindFunction(path, function);
  if (!code) return code.error();
  LLVMDisasmContextRef context = MakeContext(code->machine);
  if (context == nullptr) return MakeError(ErrorCode::kUnsupported, "there is no disassembler for this machine");
  MachineCode result{code->machine, {}};
  auto* bytes = reinterpret_cast<uint8_t*>(code->bytes.data());
  for (size_t at = 0; at < code->bytes.size();) {
    char text[256];
    size_t size =
        LLVMDisasmInstruction(context, bytes + at, code->bytes.size() - at, code->address + at, text, sizeof text);
    if (size == 0) break;
    at += size;
    std::string line(text);
    std::replace(line.begin(), line.end(), '\t', ' ');
    line.erase(0, line.find_first_not_of(' '));
    result.lines.push_back(std::move(line));
  }
  LLVMDisasmDispose(context);
  return result;
}

}  // namespace heddle::litmus
