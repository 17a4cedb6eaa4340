#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "litmus/optcheck/optcheck.h"
#include "litmus/run/body.h"
#include "litmus/syntax/parse_impl.h"

// AArch64, RISC-V and Power: the thread is one piece of inline assembly, the test's own lines in order. Registers of
// the test become operands, which the compiler puts into registers of its choice; those that are initialised with a
// location get its address. Labels get a number of their own.
namespace heddle::litmus {
namespace {

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class AssemblyWriter {
 public:
  AssemblyWriter(const Test& test, size_t thread, Machine machine)
      : test_(test), number_(thread), thread_(test.threads[thread]), machine_(machine) {
    parser_ = test.arch == Arch::kAArch64 ? MakeAArch64Parser()
              : test.arch == Arch::kRiscv ? MakeRiscvParser()
                                          : MakePpcParser();
    for (const std::string& row : thread_.rows) {
      if (row.ends_with(':')) labels_.insert(row.substr(0, row.size() - 1));
    }
  }

  Result<BodyText> Run() {
    for (const Cell& cell : test_.cells) {
      if (cell.name.find('[') != std::string::npos) return Unsupported("arrays");
    }
    std::string lines;
    auto add = [&](const std::string& line) { lines += "      \"" + line + "\\n\\t\"\n"; };
    BodyText text;
    std::string operands;
    for (size_t i = 0; i < thread_.registers.size(); ++i) {
      int64_t init = thread_.register_init[i];
      int cell = IsAddress(init) ? test_.CellAt(init) : -1;
      if (IsAddress(init) && cell < 0) return Unsupported("an address in a register");
      text.registers += cell >= 0 ? fmt::format("    int64_t r{} = (int64_t)Cell(iteration, {});\n", i, cell)
                                  : fmt::format("    int64_t r{} = {};\n", i, init);
      if (!Used(i)) continue;
      operands += fmt::format("{}[r{}] \"+{}\"(r{})", operands.empty() ? "" : ", ", i,
                              machine_ == Machine::kPpc64le ? "b" : "r", i);
      if (cell >= 0 && cell < kNoCell) {
        std::string reg = machine_ == Machine::kAArch64 ? fmt::format("%x[r{}]", i) : fmt::format("%[r{}]", i);
        add(CellMarkText(machine_, reg, cell));
      }
    }
    add(MarkText(machine_, kBeginMark));
    for (const std::string& row : thread_.rows) add(Row(row));
    add(MarkText(machine_, kEndMark));
    for (const std::string& line : SpecificationText(test_, number_, machine_)) add(line);
    std::string flags = machine_ == Machine::kAArch64   ? ", \"cc\""
                        : machine_ == Machine::kPpc64le ? ", \"cr0\", \"cr7\""
                                                        : "";
    text.code = "    __asm__ volatile(\n" + lines + "      : " + operands + " : : \"memory\"" + flags + ");\n";
    text.marked = true;
    return text;
  }

 private:
  static Error Unsupported(const std::string& what) {
    return MakeError(ErrorCode::kUnsupported, "the harness cannot run " + what);
  }

  // Condition flags and the like are no operands.
  bool Used(size_t reg) const {
    return std::any_of(thread_.rows.begin(), thread_.rows.end(), [&](const std::string& row) {
      return Row(row).find(fmt::format("[r{}]", reg)) != std::string::npos;
    });
  }

  int RegisterOf(const std::string& word) const {
    std::string name = parser_->RegisterName(word);
    auto found = std::find(thread_.registers.begin(), thread_.registers.end(), name);
    return name.empty() || found == thread_.registers.end() ? -1 : static_cast<int>(found - thread_.registers.begin());
  }

  std::string Row(const std::string& row) const {
    std::string out;
    bool first = true;  // the mnemonic
    for (size_t i = 0; i < row.size();) {
      size_t end = i;
      while (end < row.size() && (IsWordChar(row[end]) || (first && row[end] == '.'))) ++end;
      if (end == i) {
        out += row[i] == '%' ? "%%" : std::string(1, row[i]);
        ++i;
        continue;
      }
      std::string word = row.substr(i, end - i);
      i = end;
      bool label = labels_.contains(word);
      int reg = first && !label ? -1 : RegisterOf(word);
      if (label) {
        out += ".Lh" + word + "_%=";
      } else if (reg >= 0) {
        char width = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
        out += machine_ == Machine::kAArch64 ? fmt::format("%{}[r{}]", width, reg) : fmt::format("%[r{}]", reg);
      } else {
        out += word;
      }
      first = false;
    }
    return out;
  }

  const Test& test_;
  size_t number_;
  const Thread& thread_;
  Machine machine_;
  std::unique_ptr<InstructionParser> parser_;
  std::set<std::string> labels_;
};

}  // namespace

Result<BodyText> WriteAssemblyBody(const Test& test, size_t thread, Machine machine) {
  return AssemblyWriter(test, thread, machine).Run();
}

}  // namespace heddle::litmus
