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
constexpr int kDeepestExpression = 400;
constexpr size_t kMostFrames = 12;
constexpr int kMostCalls = 1000;

const BinaryOp* OperatorAt(Cursor& cursor, int level) {
  cursor.Skip();
  for (const BinaryOp& op : kBinary) {
    if (!cursor.Rest().starts_with(op.text)) continue;
    return op.level == level ? &op : nullptr;
  }
  return nullptr;
}

}  // namespace

// An assignment to a local variable has a value, too.
Result<int> CFunctionParser::Expression() {
  size_t before = cursor_.at();
  std::string name(cursor_.Word());
  if (!name.empty() && IsLocal(name) && cursor_.Peek() == '=' && !cursor_.Rest().starts_with("==")) {
    cursor_.Take("=");
    if (++depth_ > kDeepestExpression) return cursor_.Wrong("the expression is nested too deeply");
    Result<int> value = Expression();
    if (!value) return value;
    --depth_;
    thread_.Assign(Local(name), *value);
    return thread_.Reg(Local(name));
  }
  cursor_.Seek(before);
  Result<int> value = Binary(0);
  return value && cursor_.Peek() == '?' ? Choice(*value) : value;
}

// condition ? a : b, of which one is evaluated.
Result<int> CFunctionParser::Choice(int condition) {
  if (++depth_ > kDeepestExpression) return cursor_.Wrong("the expression is nested too deeply");
  cursor_.Take("?");
  std::string result = Temporary();
  std::string no = NewLabel();
  std::string end = NewLabel();
  thread_.Branch(thread_.Binary(Op::kEq, condition, thread_.Const(0)), no);
  thread_.thread().code.back().join = 1;
  Result<int> yes = Expression();
  if (!yes) return yes;
  thread_.Assign(result, *yes);
  thread_.Branch(-1, end);
  if (Status status = cursor_.Need(":", "after the first value"); !status) return status.error();
  thread_.Label(no);
  Result<int> otherwise = Expression();
  if (!otherwise) return otherwise;
  thread_.Assign(result, *otherwise);
  thread_.Label(end);
  EndIf();
  --depth_;
  return thread_.Reg(result);
}

Result<int> CFunctionParser::Binary(int level) {
  if (level == kLevels) return Unary();
  if (++depth_ > kDeepestExpression) return cursor_.Wrong("the expression is nested too deeply");
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
  if (++depth_ > kDeepestExpression) return cursor_.Wrong("the expression is nested too deeply");
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
      std::string pointer(cursor_.PeekWord());
      Result<int> address = Unary();
      return address ? Result<int>(Read({*address, PointsToAtomic(pointer)})) : address;
    }
    if (next == '&' && !cursor_.Rest().starts_with("&&")) {
      cursor_.Take("&");
      bool parenthesis = cursor_.Take("(");
      std::string name(cursor_.PeekWord());
      if (name.empty()) return cursor_.Wrong("expected a location after `&`");
      if (IsLocal(name) && !AtLvalue()) {
        return cursor_.Wrong("the address of a local variable can be used in compare-exchange only");
      }
      Result<Place> place = Lvalue();
      if (!place) return place.error();
      if (parenthesis) cursor_.Take(")");
      return place->address;
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
  cursor_.Seek(begin);
  if (AtLvalue()) {
    Result<Place> place = Lvalue();
    if (!place) return place.error();
    return Read(*place);
  }
  cursor_.Word();
  if (IsLocal(name)) return thread_.Reg(Local(name));
  if (parameters_.contains(name) && !IsLocal(name)) return Postfix(thread_.AddressOf(name));
  if (!IsLocal(name) && thread_.test().FindCell(name) >= 0) {
    return Read({thread_.AddressOf(name), unit_.atomic_globals.contains(name)});
  }
  if (!IsLocal(name) && thread_.test().FindCell(name + "[0]") >= 0) return Postfix(thread_.AddressOf(name));
  const auto& registers = thread_.thread().registers;
  if (std::find(registers.begin(), registers.end(), name) == registers.end()) {
    return cursor_.WrongAt(begin, cursor_.at(), "`" + name + "` is not declared");
  }
  return Postfix(thread_.Reg(name));
}

// (pointer)[index] and (pointer)->member.
Result<int> CFunctionParser::Postfix(int value) {
  while (true) {
    if (cursor_.Take("[")) {
      Result<int> index = Expression();
      if (!index) return index;
      if (Status status = cursor_.Need("]", "after the index"); !status) return status.error();
      int offset = thread_.Binary(Op::kMul, *index, thread_.Const(WidthAt(value)));
      value = PlainLoad(thread_.Binary(Op::kAdd, value, offset));
    } else if (cursor_.Take("->")) {
      std::string member(cursor_.PeekWord());
      Result<int> address = Member(value);
      if (!address) return address;
      value = Read({*address, unit_.members.find(member)->second.atomic});
    } else {
      return value;
    }
  }
}

Result<int> CFunctionParser::Member(int base) {
  cursor_.Skip();
  size_t begin = cursor_.at();
  std::string name(cursor_.Word());
  auto [first, last] = unit_.members.equal_range(name);
  if (first == last) {
    return cursor_.WrongAt(begin, std::max(begin + 1, cursor_.at()), "no struct has a member `" + name + "`");
  }
  for (auto other = std::next(first); other != last; ++other) {
    if (other->second.index == first->second.index && other->second.atomic == first->second.atomic) continue;
    return cursor_.WrongAt(begin, cursor_.at(),
                           "`" + name + "` is a member of two structs, at different places: rename one");
  }
  if (first->second.index == 0) return base;
  return thread_.Binary(Op::kAdd, base, thread_.Const(int64_t{4} * first->second.index));
}

bool CFunctionParser::PointsToAtomic(const std::string& name) const {
  const auto& pointers = frames_.back().atomic_pointers;
  return std::find(pointers.begin(), pointers.end(), name) != pointers.end();
}

bool CFunctionParser::AtLvalue() {
  size_t before = cursor_.at();
  std::string name(cursor_.Word());
  bool place = !name.empty() && (cursor_.Peek() == '[' || cursor_.Rest().starts_with("->") ||
                                 (cursor_.Peek() == '.' && !unit_.structs.empty()));
  cursor_.Seek(before);
  return place;
}

// name, then any of ->member .member [index]. A local variable is a pointer; other names stand for their own place.
Result<CFunctionParser::Place> CFunctionParser::Lvalue() {
  size_t begin = cursor_.at();
  std::string name(cursor_.Word());
  Place place;
  bool pointer = true;  // address is that of what the name points to
  const auto& registers = thread_.thread().registers;
  if (IsLocal(name)) {
    place.address = thread_.Reg(Local(name));
  } else if (frames_.size() == 1 && !parameters_.contains(name) && thread_.test().FindCell(name) < 0 &&
             std::find(registers.begin(), registers.end(), name) != registers.end()) {
    place.address = thread_.Reg(name);
  } else if (frames_.size() > 1 && thread_.test().FindCell(name) < 0 && thread_.test().FindCell(name + "[0]") < 0) {
    return cursor_.WrongAt(begin, cursor_.at(), "`" + name + "` is not declared");
  } else {
    place.address = thread_.AddressOf(name);
    place.atomic = unit_.atomic_globals.contains(name);
  }
  while (true) {
    bool dot = cursor_.Peek() == '.';
    if (dot || cursor_.Rest().starts_with("->")) {
      cursor_.Take(dot ? "." : "->");
      if (!pointer && !dot) place.address = Read(place);
      std::string member(cursor_.PeekWord());
      Result<int> address = Member(place.address);
      if (!address) return address.error();
      place = {*address, unit_.members.find(member)->second.atomic};
      pointer = false;
    } else if (cursor_.Take("[")) {
      Result<int> index = Expression();
      if (!index) return index.error();
      if (Status status = cursor_.Need("]", "after the index"); !status) return status.error();
      if (!pointer) place.address = Read(place);
      int offset = thread_.Binary(Op::kMul, *index, thread_.Const(WidthAt(place.address)));
      place.address = thread_.Binary(Op::kAdd, place.address, offset);
      pointer = false;
    } else {
      return place;
    }
  }
}

int CFunctionParser::Read(const Place& place) {
  int value = PlainLoad(place.address);
  if (place.atomic) thread_.thread().code.back().tags = Tags({TagOf("SC"), TagOf("A")});
  return value;
}

void CFunctionParser::Write(const Place& place, int value) {
  PlainStore(place.address, value);
  if (place.atomic) thread_.thread().code.back().tags = Tags({TagOf("SC"), TagOf("A")});
}

// The body of the function is read here, with its own variables.
Result<int> CFunctionParser::Inline(const CFunction& function, size_t begin) {
  if (frames_.size() > kMostFrames || inlined_ > kMostCalls)
    return cursor_.WrongAt(begin, cursor_.at(), "too many calls of functions");
  Result<Arguments> arguments = ReadArguments();
  if (!arguments) return arguments.error();
  if (arguments->values.size() != function.parameters.size() || !arguments->words.empty()) {
    return cursor_.WrongAt(begin, cursor_.at(),
                           "`" + function.name + "` has " + std::to_string(function.parameters.size()) +
                               (function.parameters.size() == 1 ? " parameter" : " parameters"));
  }
  size_t after = cursor_.at();
  ++inlined_;
  Frame frame;
  frame.end = NewLabel();
  if (function.returns) frame.result = Temporary();
  std::string result = frame.result;
  std::string end = frame.end;
  frames_.push_back(std::move(frame));
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const CParameter& parameter = function.parameters[i];
    thread_.Assign(Declare(parameter.name), arguments->values[i]);
    if (parameter.pointer && parameter.atomic) frames_.back().atomic_pointers.push_back(parameter.name);
  }
  cursor_.Seek(function.begin);
  if (Status status = Block(); !status) return status.error();
  thread_.Label(end);
  frames_.pop_back();
  cursor_.Seek(after);
  return result.empty() ? thread_.Const(0) : thread_.Reg(result);
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
