#include "litmus/optcheck/classify.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

// Lines are classified by mnemonic and by where the memory operand stands. On x86-64 (AT&T form) the last operand is
// written; on the others the first operand is, except of stores. Accesses to the stack and to constants are the
// compiler's own and are left out. A locked instruction on the stack is the compiler's way to write a full fence.
//
// Marks say which register points to which cell; a move copies that knowledge, and any other write to a register ends
// it.
namespace heddle::litmus {
namespace {

std::vector<std::string> Operands(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ' || depth > 0) {
      parts.back() += c;
    }
  }
  return parts;
}

bool StartsWithAny(const std::string& word, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return word.starts_with(p); });
}

bool OneOf(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The base register of disp(%base), [base], disp(base); empty when there is an index or an offset.
std::string BaseOf(Machine machine, const std::string& operand) {
  char open = machine == Machine::kAArch64 ? '[' : '(';
  char close = machine == Machine::kAArch64 ? ']' : ')';
  size_t begin = operand.find(open);
  size_t end = operand.find(close);
  if (begin == std::string::npos || end == std::string::npos) return "";
  std::string before = operand.substr(0, begin);
  if (!before.empty() && before != "0") return "";
  std::string base = operand.substr(begin + 1, end - begin - 1);
  return base.find(',') == std::string::npos ? base : "";
}

bool IsMemory(Machine machine, const std::string& operand) {
  return operand.find(machine == Machine::kAArch64 ? '[' : '(') != std::string::npos;
}

bool OnStack(Machine machine, const std::string& operand) {
  switch (machine) {
    case Machine::kX86_64:
      return operand.find("(%rsp") != std::string::npos || operand.find("(%rbp") != std::string::npos ||
             operand.find("(%rip") != std::string::npos;
    case Machine::kAArch64:
      return operand.find("[sp") != std::string::npos || operand.find("[x29") != std::string::npos;
    case Machine::kRiscv64:
      return operand.find("(sp)") != std::string::npos || operand.find("(s0)") != std::string::npos ||
             operand.find("(gp)") != std::string::npos;
    case Machine::kPpc64le:
      return operand.ends_with("(1)") || operand.ends_with("(31)") || operand.ends_with("(2)");
  }
  return false;
}

std::optional<int> NumberIn(std::string_view text) {
  while (!text.empty() && (text[0] == '#' || text[0] == '$')) text.remove_prefix(1);
  std::string copy(text);
  char* end = nullptr;
  long value = std::strtol(copy.c_str(), &end, 0);
  if (end == copy.c_str()) return std::nullopt;
  return static_cast<int>(value);
}

// The 64-bit name of a register.
std::string Whole(Machine machine, std::string name) {
  if (machine == Machine::kAArch64 && !name.empty() && name[0] == 'w') name[0] = 'x';
  if (machine != Machine::kX86_64 || name.size() < 3 || name[0] != '%') return name;
  if (name[1] == 'e') name[1] = 'r';
  if (std::isdigit(static_cast<unsigned char>(name[2])) != 0 && name.ends_with('d')) name.pop_back();
  return name;
}

}  // namespace

std::optional<int> MarkOf(Machine machine, std::string_view line) {
  size_t space = line.find(' ');
  std::string mnemonic(line.substr(0, space));
  std::vector<std::string> o = Operands(space == std::string_view::npos ? "" : line.substr(space + 1));
  switch (machine) {
    case Machine::kX86_64:
      if (!mnemonic.starts_with("nop") || o.size() != 1 || !o[0].ends_with("(%rax)")) return std::nullopt;
      return NumberIn(o[0]);
    case Machine::kAArch64:
      if (!OneOf(mnemonic, {"mov", "movz"}) || o.size() != 2 || o[0] != "xzr") return std::nullopt;
      return NumberIn(o[1]);
    case Machine::kRiscv64:
      if (mnemonic != "lui" || o.size() != 2 || o[0] != "zero") return std::nullopt;
      return NumberIn(o[1]);
    case Machine::kPpc64le:
      if (mnemonic != "cmpldi" || o.size() != 3 || o[0] != "7" || o[1] != "0") return std::nullopt;
      return NumberIn(o[2]);
  }
  return std::nullopt;
}

std::optional<Access> LineReader::Line(const std::string& line) {
  size_t space = line.find(' ');
  std::string mnemonic = line.substr(0, space);
  std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
  if (mnemonic == "lock") {
    locked_ = true;
    if (rest.empty()) return std::nullopt;  // the instruction comes as a line of its own
    return Line(rest);
  }
  std::vector<std::string> operands = Operands(rest);
  std::optional<Access> access;
  if (!CellMark(mnemonic, operands)) {
    access = machine_ == Machine::kX86_64 ? X86(mnemonic, operands) : Risc(mnemonic, operands);
    Written(mnemonic, operands);
  }
  locked_ = false;
  return access;
}

bool LineReader::CellMark(const std::string& mnemonic, const std::vector<std::string>& o) {
  if (machine_ == Machine::kX86_64) {
    if (!mnemonic.starts_with("nop") || o.size() != 1) return false;
    std::optional<int> number = NumberIn(o[0]);
    size_t open = o[0].find('(');
    if (!number || *number >> 12 != kCellMark || open == std::string::npos) return false;
    pointers_[o[0].substr(open + 1, o[0].size() - open - 2)] = *number & 0xfff;
    return true;
  }
  size_t reg = machine_ == Machine::kAArch64 ? 0 : 1;
  bool compare = (machine_ == Machine::kAArch64 && mnemonic == "cmp" && o.size() == 2) ||
                 (machine_ == Machine::kRiscv64 && mnemonic == "slti" && o.size() == 3 && o[0] == "zero") ||
                 (machine_ == Machine::kPpc64le && mnemonic == "cmpldi" && o.size() == 3 && o[0] == "7");
  if (!compare) return false;
  std::optional<int> number = NumberIn(o.back());
  if (!number || (*number & ~0x3f) != kCellMark) return false;
  pointers_[o[reg]] = *number & 0x3f;
  return true;
}

int LineReader::CellAt(const std::string& operand) const {
  auto found = pointers_.find(BaseOf(machine_, operand));
  return found == pointers_.end() ? -1 : found->second;
}

void LineReader::Written(const std::string& mnemonic, const std::vector<std::string>& o) {
  if (o.empty() || o[0].empty()) return;
  bool x86 = machine_ == Machine::kX86_64;
  const std::string& target = x86 ? o.back() : o[0];
  if (IsMemory(machine_, target)) {
    // xchg and xadd write their register, too.
    if (x86 && o.size() == 2 && StartsWithAny(mnemonic, {"xchg", "xadd"})) pointers_.erase(Whole(machine_, o[0]));
    return;
  }
  if (x86 && StartsWithAny(mnemonic, {"cmp", "test", "j"}) && !mnemonic.starts_with("cmpxchg")) return;
  if (x86 && mnemonic.starts_with("xchg")) pointers_.erase(Whole(machine_, o[0]));
  if (!x86 && StartsWithAny(mnemonic, {"cmp", "tst", "b", "cb", "tb", "sw", "sd", "sh", "sb", "st"}) &&
      !StartsWithAny(mnemonic, {"sub", "bic", "bfi"})) {
    return;
  }
  bool move = OneOf(mnemonic, {"mov", "movq", "mv", "mr"}) && o.size() == 2;
  auto source = pointers_.find(move ? (x86 ? o[0] : o[1]) : "");
  if (source != pointers_.end()) {
    int cell = source->second;
    pointers_[target] = cell;
  } else {
    pointers_.erase(Whole(machine_, target));
  }
}

std::optional<Access> LineReader::X86(const std::string& mnemonic, const std::vector<std::string>& o) {
  if (OneOf(mnemonic, {"mfence", "sfence", "lfence"})) return Access{AccessKind::kFence, -1};
  if (StartsWithAny(mnemonic, {"lea", "nop", "call", "jmp", "prefetch"})) return std::nullopt;
  size_t memory = o.size();
  for (size_t i = 0; i < o.size(); ++i) {
    if (IsMemory(machine_, o[i])) memory = i;
  }
  if (memory == o.size()) return std::nullopt;
  if (OnStack(machine_, o[memory])) {
    return locked_ ? std::optional<Access>({AccessKind::kFence, -1}) : std::nullopt;
  }
  bool last = memory + 1 == o.size();
  bool only_reads = StartsWithAny(mnemonic, {"cmp", "test"}) && !mnemonic.starts_with("cmpxchg");
  int cell = CellAt(o[memory]);
  if (locked_ || mnemonic.starts_with("xchg")) return Access{AccessKind::kRmw, cell};
  if (!last || only_reads) return Access{AccessKind::kLoad, cell};
  return Access{mnemonic.starts_with("mov") ? AccessKind::kStore : AccessKind::kRmw, cell};
}

// Load-reserve and store-conditional are a load and a store.
std::optional<Access> LineReader::Risc(const std::string& mnemonic, const std::vector<std::string>& o) {
  if (OneOf(mnemonic, {"dmb", "dsb", "isb", "fence", "fence.tso", "fence.i", "sync", "lwsync", "isync", "eieio",
                       "hwsync", "ptesync"}) ||
      (machine_ == Machine::kPpc64le && mnemonic == "msync")) {
    return Access{AccessKind::kFence, -1};
  }
  std::optional<size_t> memory;
  for (size_t i = 0; i < o.size(); ++i) {
    if (IsMemory(machine_, o[i])) memory = i;
  }
  int cell = -1;
  if (memory) {
    if (OnStack(machine_, o[*memory])) return std::nullopt;
    cell = CellAt(o[*memory]);
  }
  switch (machine_) {
    case Machine::kAArch64:
      if (!memory || mnemonic.starts_with("prfm")) return std::nullopt;
      if (StartsWithAny(mnemonic,
                        {"swp", "cas", "ldadd", "ldset", "ldclr", "ldeor", "ldsmax", "ldsmin", "ldumax", "ldumin",
                         "stadd", "stset", "stclr", "steor", "stsmax", "stsmin", "stumax", "stumin"})) {
        return Access{AccessKind::kRmw, cell};
      }
      return Access{mnemonic.starts_with("st") ? AccessKind::kStore : AccessKind::kLoad, cell};
    case Machine::kRiscv64:
      if (!memory) return std::nullopt;
      if (mnemonic.starts_with("amo")) return Access{AccessKind::kRmw, cell};
      if (StartsWithAny(mnemonic, {"jalr", "c.j"})) return std::nullopt;
      return Access{StartsWithAny(mnemonic, {"l", "c.l"}) ? AccessKind::kLoad : AccessKind::kStore, cell};
    default: {
      // Indexed forms have three registers: lwarx 9, 0, 10.
      bool indexed = mnemonic.ends_with("x") || mnemonic.ends_with("x.");
      bool load = StartsWithAny(mnemonic, {"lwz", "lwa", "lbz", "lhz", "lha", "ld", "lwarx", "lbarx", "lharx"});
      bool store = StartsWithAny(mnemonic, {"stw", "std", "stb", "sth"});
      if ((!load && !store) || (!memory && !indexed)) return std::nullopt;
      if (!memory && o.size() == 3 && (o[1] == "0" || o[1] == "r0")) {
        auto found = pointers_.find(o[2]);
        if (found != pointers_.end()) cell = found->second;
      }
      return Access{load ? AccessKind::kLoad : AccessKind::kStore, cell};
    }
  }
}

}  // namespace heddle::litmus
