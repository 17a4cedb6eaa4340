#include "litmus/syntax/gpu_words.h"

#include <algorithm>
#include <cctype>

namespace heddle::litmus {

std::vector<std::string> DottedPieces(std::string_view word) {
  std::vector<std::string> pieces(1);
  for (char c : word) {
    if (c == '.') {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

bool IsGpuRegister(const ThreadBuilder& thread, std::string_view word) {
  const Test& test = const_cast<ThreadBuilder&>(thread).test();
  const auto& names = test.threads[static_cast<size_t>(thread.number())].registers;
  if (std::find(names.begin(), names.end(), word) != names.end()) return true;
  return word.size() >= 2 && word[0] == 'r' &&
         std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

Result<std::vector<GpuOperand>> GpuOperands(Cursor& cursor, ThreadBuilder& thread) {
  std::vector<GpuOperand> operands;
  if (cursor.AtEnd()) return operands;
  do {
    GpuOperand operand;
    operand.brackets = cursor.Take("[");
    if (std::optional<int64_t> number = cursor.Number()) {
      operand.value = thread.Const(*number);
    } else {
      cursor.Take("%");
      std::string word(cursor.Word());
      if (word.empty()) return cursor.Wrong("expected an operand, found " + cursor.Shown());
      operand.name = word;
      bool is_register = IsGpuRegister(thread, word);
      operand.kind = is_register ? GpuOperand::Kind::kRegister : GpuOperand::Kind::kLocation;
      if (is_register) {
        operand.value = operand.address = thread.Reg(word);
      } else {
        operand.address = operand.value = thread.AddressOf(word);
      }
      if (operand.brackets && cursor.Take("+")) {
        operand.address = thread.Binary(Op::kAdd, operand.address, thread.Const(cursor.Number().value_or(0)));
      }
    }
    if (operand.brackets) {
      if (Status status = cursor.Need("]", "after the address"); !status) return status.error();
    }
    operands.push_back(std::move(operand));
  } while (cursor.Take(","));
  return operands;
}

bool GpuOperation(std::string_view word, Op& op) {
  static const std::map<std::string, Op, std::less<>> kOps = {
      {"add", Op::kAdd}, {"plus", Op::kAdd}, {"sub", Op::kSub},  {"minus", Op::kSub}, {"mul", Op::kMul},
      {"div", Op::kDiv}, {"and", Op::kAnd},  {"or", Op::kOr},    {"xor", Op::kXor},   {"min", Op::kMin},
      {"max", Op::kMax}, {"exch", Op::kOld}, {"xchg", Op::kOld}, {"rem", Op::kMod},   {"shl", Op::kShl}};
  auto found = kOps.find(word);
  if (found == kOps.end()) return false;
  op = found->second;
  return true;
}

Result<bool> GpuLocal(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
  static const std::map<std::string, Op> kBranches = {{"beq", Op::kEq}, {"bne", Op::kNe}, {"blt", Op::kLt},
                                                      {"ble", Op::kLe}, {"bgt", Op::kGt}, {"bge", Op::kGe}};
  if (op == "goto" || op == "bra") {
    thread.Branch(-1, cursor.Word());
    return true;
  }
  if (op == "nop") return true;
  auto branch = kBranches.find(op);
  Op arithmetic;
  bool move = op == "mov";
  if (branch == kBranches.end() && !move && !GpuOperation(op, arithmetic)) return false;
  size_t begin = cursor.at();
  if (branch != kBranches.end()) {
    std::vector<int> values;
    while (values.size() < 2) {
      if (std::optional<int64_t> number = cursor.Number()) {
        values.push_back(thread.Const(*number));
      } else {
        values.push_back(thread.Reg(cursor.Word()));
      }
      if (Status status = cursor.Need(",", "between operands"); !status) return status.error();
    }
    thread.Branch(thread.Binary(branch->second, values[0], values[1]), cursor.Word());
    return true;
  }
  Result<std::vector<GpuOperand>> operands = GpuOperands(cursor, thread);
  if (!operands) return operands.error();
  if (operands->size() != (move ? 2U : 3U) || (*operands)[0].kind != GpuOperand::Kind::kRegister) {
    return cursor.WrongAt(begin, cursor.at(),
                          "`" + op + "` needs a register and " + (move ? "one value" : "two values"));
  }
  int value = move ? (*operands)[1].value : thread.Binary(arithmetic, (*operands)[1].value, (*operands)[2].value);
  thread.Assign((*operands)[0].name, value);
  return true;
}

}  // namespace heddle::litmus
