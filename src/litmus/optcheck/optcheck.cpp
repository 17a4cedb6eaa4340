#include "litmus/optcheck/optcheck.h"

#include <elf.h>
#include <fmt/format.h>
#include <llvm-c/Disassembler.h>

#include <cstring>

#include "base/file.h"

extern "C" {
void LLVMInitializeX86TargetInfo(void);
void LLVMInitializeX86TargetMC(void);
void LLVMInitializeX86Disassembler(void);
}

// The function P<n> is found in the symbol table, its code is disassembled in AT&T form, and each line is classified by
// its mnemonic and by where its memory operand stands: the last operand is written, others are read. A locked
// instruction on the stack is the compiler's way to write a full fence.
namespace heddle::litmus {
namespace {

constexpr std::string_view kBegin = "0x7f3a(%rax)";
constexpr std::string_view kEnd = "0x7f3b(%rax)";
constexpr std::string_view kBeginDecimal = "32570(%rax)";
constexpr std::string_view kEndDecimal = "32571(%rax)";

struct Code {
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
  return MakeError(ErrorCode::kUnsupported, path + ": not an x86-64 program with symbols");
}

Result<Code> FindFunction(const std::string& path, const std::string& name) {
  Result<std::string> file = ReadFile(path);
  if (!file) return file.error();
  Elf64_Ehdr head;
  if (!ReadAt(*file, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_machine != EM_X86_64) {
    return Unreadable(path);
  }
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
      return Code{file->substr(offset, symbol.st_size), symbol.st_value};
    }
  }
  return MakeError(ErrorCode::kUnsupported, path + ": there is no function " + name);
}

bool IsPrivate(std::string_view operand) {
  return operand.find("(%rsp") != std::string_view::npos || operand.find("(%rbp") != std::string_view::npos ||
         operand.find("(%rip") != std::string_view::npos;
}

// The operands of a line, split at commas outside parentheses.
std::vector<std::string> Operands(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

// What a line does; false when it is none of our business.
bool Classify(std::string_view line, AccessKind& kind, bool locked) {
  size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return false;
  line.remove_prefix(begin);
  size_t space = line.find_first_of(" \t");
  std::string_view mnemonic = line.substr(0, space);
  std::string_view rest = space == std::string_view::npos ? "" : line.substr(space + 1);
  if (mnemonic == "lock") {
    locked = true;
    line.remove_prefix(mnemonic.size());
    return Classify(line, kind, locked);
  }
  if (mnemonic == "mfence" || mnemonic == "sfence" || mnemonic == "lfence") {
    kind = AccessKind::kFence;
    return true;
  }
  if (mnemonic.starts_with("lea") || mnemonic.starts_with("nop") || mnemonic.starts_with("call") ||
      mnemonic.starts_with("jmp") || mnemonic.starts_with("prefetch")) {
    return false;
  }
  std::vector<std::string> operands = Operands(rest);
  bool memory = false;
  bool last = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].find('(') == std::string::npos) continue;
    if (IsPrivate(operands[i])) {
      if (!locked) return false;
      kind = AccessKind::kFence;  // lock orq $0, (%rsp)
      return true;
    }
    memory = true;
    last = i + 1 == operands.size();
  }
  if (!memory) return false;
  bool compares = mnemonic.starts_with("cmp") && !mnemonic.starts_with("cmpxchg");
  bool tests = mnemonic.starts_with("test");
  if (locked || mnemonic.starts_with("xchg")) {
    kind = AccessKind::kRmw;
  } else if (!last || compares || tests) {
    kind = AccessKind::kLoad;
  } else {
    kind = mnemonic.starts_with("mov") ? AccessKind::kStore : AccessKind::kRmw;
  }
  return true;
}

}  // namespace

std::string_view AccessName(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad:
      return "load";
    case AccessKind::kStore:
      return "store";
    case AccessKind::kRmw:
      return "read-modify-write";
    case AccessKind::kFence:
      return "fence";
  }
  return "";
}

Result<std::vector<AccessKind>> CompiledAccesses(const std::string& path, size_t thread) {
  Result<Code> code = FindFunction(path, "P" + std::to_string(thread));
  if (!code) return code.error();
  static const bool ready = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    return true;
  }();
  (void)ready;
  LLVMDisasmContextRef context = LLVMCreateDisasm("x86_64-pc-linux-gnu", nullptr, 0, nullptr, nullptr);
  if (context == nullptr) return MakeError(ErrorCode::kUnsupported, "the disassembler for x86-64 is not there");
  std::vector<AccessKind> accesses;
  bool inside = false;
  bool seen = false;
  bool locked = false;
  auto* bytes = reinterpret_cast<uint8_t*>(code->bytes.data());
  for (size_t at = 0; at < code->bytes.size();) {
    char text[256];
    size_t size =
        LLVMDisasmInstruction(context, bytes + at, code->bytes.size() - at, code->address + at, text, sizeof text);
    if (size == 0) break;
    at += size;
    std::string_view line(text);
    if (line.find(kBegin) != std::string_view::npos || line.find(kBeginDecimal) != std::string_view::npos) {
      inside = seen = true;
    } else if (line.find(kEnd) != std::string_view::npos || line.find(kEndDecimal) != std::string_view::npos) {
      inside = false;
    } else if (inside) {
      // The prefix comes as a line of its own.
      if (line.find_first_not_of(" \t") != std::string_view::npos &&
          line.substr(line.find_first_not_of(" \t")) == "lock") {
        locked = true;
        continue;
      }
      AccessKind kind;
      if (Classify(line, kind, locked)) accesses.push_back(kind);
      locked = false;
    }
  }
  LLVMDisasmDispose(context);
  if (!seen) return MakeError(ErrorCode::kUnsupported, fmt::format("{}: thread {} has no marks", path, thread));
  return accesses;
}

std::vector<AccessKind> WantedAccesses(const Test& test, size_t thread) {
  std::vector<AccessKind> wanted;
  for (const Instr& instr : test.threads[thread].code) {
    switch (instr.kind) {
      case Instr::Kind::kLoad:
        wanted.push_back(AccessKind::kLoad);
        break;
      case Instr::Kind::kStore: {
        // A seq_cst store is an exchange on x86.
        bool sc = test.arch == Arch::kC && instr.tags.test(TagOf("SC"));
        wanted.push_back(sc ? AccessKind::kRmw : AccessKind::kStore);
        break;
      }
      case Instr::Kind::kRmw:
        wanted.push_back(AccessKind::kRmw);
        break;
      case Instr::Kind::kFence:
        // Of the fences of C only seq_cst needs an instruction on x86.
        if (test.arch != Arch::kC || instr.tags.test(TagOf("SC"))) wanted.push_back(AccessKind::kFence);
        break;
      default:
        break;
    }
  }
  return wanted;
}

Status CheckHarness(const Test& test, const std::string& path) {
  for (size_t t = 0; t < test.threads.size(); ++t) {
    Result<std::vector<AccessKind>> found = CompiledAccesses(path, t);
    if (!found) return found.error();
    std::vector<AccessKind> wanted = WantedAccesses(test, t);
    if (*found == wanted) continue;
    auto list = [](const std::vector<AccessKind>& kinds) {
      std::string out;
      for (AccessKind kind : kinds) out += (out.empty() ? "" : ", ") + std::string(AccessName(kind));
      return out.empty() ? std::string("nothing") : out;
    };
    return MakeError(ErrorCode::kLimit,
                     fmt::format("the compiler did not keep thread {}: the test has {}; the program has {}", t,
                                 list(wanted), list(*found)));
  }
  return {};
}

}  // namespace heddle::litmus
