#include <algorithm>
#include <cctype>

#include "litmus/syntax/c_parser.h"

namespace heddle::litmus {
namespace {

struct BinaryOp {
  std::string_view text;
  Op op;
  int level;
};
constexpr BinaryOp kBinary[] = {
    {"||", Op::kLogicalOr, 0}, {"&&", Op::kLogicalAnd, 1}, {"|", Op::kOr, 2},  {"^", Op::kXor, 3}, {"&", Op::kAnd, 4},
    {"==", Op::kEq, 5},        {"!=", Op::kNe, 5},         {"<=", Op::kLe, 6}, {">=", Op::kGe, 6}, {"<<", Op::kShl, 7},
    {">>", Op::kShr, 7},       {"<", Op::kLt, 6},          {">", Op::kGt, 6},  {"+", Op::kAdd, 8}, {"-", Op::kSub, 8},
    {"*", Op::kMul, 9},        {"/", Op::kDiv, 9},         {"%", Op::kMod, 9}};
constexpr int kLevels = 10;
constexpr int kDeepest = 400;

const BinaryOp* OperatorAt(Cursor& cursor, int level) {
  cursor.Skip();
  for (const BinaryOp& op : kBinary) {
    if (!cursor.Rest().starts_with(op.text)) continue;
    return op.level == level ? &op : nullptr;
  }
  return nullptr;
}

}  // namespace

Result<int> CFunctionParser::Binary(int level) {
  if (level == kLevels) return Unary();
  if (++depth_ > kDeepest) return cursor_.Wrong("the expression is nested too deeply");
  Result<int> left = Binary(level + 1);
  while (left) {
    const BinaryOp* op = OperatorAt(cursor_, level);
    if (op == nullptr) break;
    cursor_.Take(op->text);
    if (level <= 1) {
      // The right side is evaluated only when the left side does not decide.
      std::string result = Temporary();
      std::string end = NewLabel();
      thread_.Assign(result, thread_.Binary(Op::kNe, *left, thread_.Const(0)));
      thread_.Branch(
          thread_.Binary(op->op == Op::kLogicalOr ? Op::kNe : Op::kEq, thread_.Reg(result), thread_.Const(0)), end);
      thread_.thread().code.back().join = 1;
      Result<int> right = Binary(level + 1);
      if (!right) return right;
      thread_.Assign(result, thread_.Binary(Op::kNe, *right, thread_.Const(0)));
      thread_.Label(end);
      EndIf();
      left = thread_.Reg(result);
      continue;
    }
    Result<int> right = Binary(level + 1);
    if (!right) return right;
    left = thread_.Binary(op->op, *left, *right);
  }
  --depth_;
  return left;
}

Result<int> CFunctionParser::Unary() {
  if (++depth_ > kDeepest) return cursor_.Wrong("the expression is nested too deeply");
  Result<int> result = [&]() -> Result<int> {
    char next = cursor_.Peek();
    if (next == '!' && !cursor_.Rest().starts_with("!=")) {
      cursor_.Take("!");
      Result<int> value = Unary();
      return value ? Result<int>(thread_.Binary(Op::kEq, *value, thread_.Const(0))) : value;
    }
    if (cursor_.Take("~")) {
      Result<int> value = Unary();
      return value ? Result<int>(thread_.Unary(Op::kComplement, *value)) : value;
    }
    if (next == '-') {
      if (std::optional<int64_t> number = cursor_.Number()) return thread_.Const(*number);
      cursor_.Take("-");
      Result<int> value = Unary();
      return value ? Result<int>(thread_.Unary(Op::kNeg, *value)) : value;
    }
    if (cursor_.Take("*")) {
      Result<int> address = Unary();
      return address ? Result<int>(PlainLoad(*address)) : address;
    }
    if (next == '&' && !cursor_.Rest().starts_with("&&")) {
      cursor_.Take("&");
      bool parenthesis = cursor_.Take("(");
      std::string name(cursor_.Word());
      if (name.empty()) return cursor_.Wrong("expected a location after `&`");
      if (IsLocal(name)) return cursor_.Wrong("the address of a local variable can be used in compare-exchange only");
      int address = thread_.AddressOf(name);
      if (cursor_.Take("[")) {
        Result<int> index = Expression();
        if (!index) return index;
        if (Status status = cursor_.Need("]", "after the index"); !status) return status.error();
        address = thread_.Binary(Op::kAdd, address, thread_.Binary(Op::kMul, *index, thread_.Const(WidthAt(address))));
      }
      if (parenthesis) cursor_.Take(")");
      return address;
    }
    return Primary();
  }();
  --depth_;
  return result;
}

Result<int> CFunctionParser::Primary() {
  if (std::optional<int64_t> number = cursor_.Number()) return thread_.Const(*number);
  size_t begin = cursor_.at();
  if (cursor_.Take("(")) {
    if (AtType()) {  // a cast
      SkipType();
      if (Status status = cursor_.Need(")", "after the type"); !status) return status.error();
      return Unary();
    }
    Result<int> inner = Expression();
    if (!inner) return inner;
    if (Status status = cursor_.Need(")", "in the expression"); !status) return status.error();
    return Postfix(*inner);
  }
  cursor_.Skip();
  begin = cursor_.at();
  std::string name(cursor_.Word());
  if (name.empty()) return cursor_.Wrong("expected an expression, found " + cursor_.Shown());
  if (cursor_.Peek() == '(') return Call(name, begin);
  if (name == "true" || name == "false") return thread_.Const(name == "true" ? 1 : 0);
  if (name == "NULL") return thread_.Const(0);
  if (parameters_.contains(name) && !IsLocal(name)) return Postfix(thread_.AddressOf(name));
  if (!IsLocal(name) && thread_.test().FindCell(name) >= 0) return PlainLoad(thread_.AddressOf(name));
  if (!IsLocal(name) && thread_.test().FindCell(name + "[0]") >= 0) return Postfix(thread_.AddressOf(name));
  const auto& registers = thread_.thread().registers;
  if (std::find(registers.begin(), registers.end(), name) == registers.end()) {
    return cursor_.WrongAt(begin, cursor_.at(), "`" + name + "` is not declared");
  }
  return Postfix(thread_.Reg(name));
}

// pointer[index].
Result<int> CFunctionParser::Postfix(int value) {
  while (cursor_.Peek() == '[') {
    cursor_.Take("[");
    Result<int> index = Expression();
    if (!index) return index;
    if (Status status = cursor_.Need("]", "after the index"); !status) return status.error();
    int offset = thread_.Binary(Op::kMul, *index, thread_.Const(WidthAt(value)));
    value = PlainLoad(thread_.Binary(Op::kAdd, value, offset));
  }
  return value;
}

// The distance between the elements of the array at an address that is a constant, 4 otherwise.
int64_t CFunctionParser::WidthAt(int address) const {
  const Expr& expr = thread_.thread().exprs[static_cast<size_t>(address)];
  if (expr.op != Op::kConst) return 4;
  int cell = thread_.test().CellAt(expr.imm);
  const auto& cells = thread_.test().cells;
  if (cell < 0 || static_cast<size_t>(cell) + 1 >= cells.size()) return 4;
  int64_t distance = cells[static_cast<size_t>(cell) + 1].address - expr.imm;
  return distance < kLocationStride && distance > 0 ? distance : 4;
}

int CFunctionParser::PlainLoad(int address) {
  std::string name = Temporary();
  int dst = thread_.Register(name);
  Instr& load = thread_.Emit(Instr::Kind::kLoad);
  load.dst = dst;
  load.addr = address;
  load.tags.set(TagOf("NA"));
  load.line = cursor_.Line();
  load.text = "read";
  return thread_.Reg(name);
}

void CFunctionParser::PlainStore(int address, int value) {
  Instr& store = thread_.Emit(Instr::Kind::kStore);
  store.addr = address;
  store.value = value;
  store.tags.set(TagOf("NA"));
  store.line = cursor_.Line();
  store.text = "write";
}

}  // namespace heddle::litmus
