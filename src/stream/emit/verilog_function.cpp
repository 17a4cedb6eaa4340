#include <fmt/format.h>

#include "stream/emit/verilog_writer.h"

namespace heddle::stream {

int VerilogWidth(const TypeRef& type, const VerilogOptions& options) {
  TypeRef resolved = Resolve(type);
  auto of_integers = [&] { return options.bound > 0 && KindOf(resolved->args[0]) == TypeKind::kInt; };
  switch (resolved->kind) {
    case TypeKind::kSet:
      return of_integers() ? options.bound : -1;
    case TypeKind::kMap: {
      TypeKind value = KindOf(resolved->args[1]);
      bool good = of_integers() && (value == TypeKind::kInt || value == TypeKind::kBool);
      return good ? options.bound * (1 + VerilogWidth(resolved->args[1], options)) : -1;
    }
    case TypeKind::kInt:
      return options.int_width;
    case TypeKind::kBool:
      return 1;
    case TypeKind::kUnit:
      return 0;
    case TypeKind::kString:
      return 32;
    default:
      return -1;
  }
}

std::string VerilogFunction::Or(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  return fmt::format("({} | {})", a, b);
}

Wires VerilogFunction::Fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
  return {"1'b0", ""};
}

std::string VerilogFunction::Constant(const stream::Value& value, const TypeRef& type) {
  int width = VerilogWidth(type, options_);
  switch (value.tag()) {
    case Tag::kSet: {
      std::string mask(static_cast<size_t>(width), '0');
      ForEachNode(value.tree(), [&](TreeNode* node) {
        int64_t element = node->key.integer();
        if (element < 0 || element >= width) {
          Fail(fmt::format("{} is not an element below the bound {}", element, width));
        } else {
          mask[static_cast<size_t>(width - 1 - element)] = '1';
        }
      });
      return fmt::format("{}'b{}", width, mask);
    }
    case Tag::kMap:
      if (value.tree() != nullptr) return Fail("a constant map that is not empty").data;
      return fmt::format("{{{}{{1'b0}}}}", width);
    case Tag::kInt: {
      int64_t limit = options_.int_width == 64 ? INT64_MAX : (int64_t{1} << (options_.int_width - 1)) - 1;
      if (value.integer() > limit || value.integer() < -limit - 1) {
        Fail(fmt::format("{} does not fit in {} bits", value.integer(), options_.int_width));
      }
      return fmt::format(
          "$signed({}'h{:x})", width,
          static_cast<uint64_t>(value.integer()) & (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1));
    }
    case Tag::kBool:
      return value.boolean() ? "1'b1" : "1'b0";
    case Tag::kString:
      return fmt::format("32'd{}", symbols_.Number(value.text()));
    case Tag::kUnit:
      return "1'b0";
    default:
      return Fail(fmt::format("a constant of type {}", ToText(type))).data;
  }
}

std::string VerilogFunction::Wire(const TypeRef& type, const std::string& value) {
  int width = VerilogWidth(type, options_);
  if (width < 0) return Fail(fmt::format("a value of type {}", ToText(type))).data;
  if (width == 0) return "1'b0";
  std::string name = fmt::format("{}_{}", prefix_, next_++);
  bool is_signed = Resolve(type)->kind == TypeKind::kInt;
  std::string range = width == 1 ? "" : fmt::format("[{}:0] ", width - 1);
  text_ += fmt::format("  wire {}{}{} = {};\n", is_signed ? "signed " : "", range, name, value);
  return name;
}

std::string VerilogFunction::Flag(const std::string& value) {
  if (value.empty()) return "";
  std::string name = fmt::format("{}_{}", prefix_, next_++);
  text_ += fmt::format("  wire {} = {};\n", name, value);
  return name;
}

bool VerilogFunction::IsParameter(const ExprRef& expr) const {
  return option_parameters && expr->op == Op::kLocal && expr->local < parameters.size();
}

bool VerilogFunction::ConstantOperand(const Expr& e, int64_t* value) {
  if (e.args[1]->op != Op::kConst || e.args[1]->constant.tag() != Tag::kInt) return false;
  *value = e.args[1]->constant.integer();
  return true;
}

Wires VerilogFunction::Conditional(const Expr& e) {
  Wires c = Value(e.args[0]);
  Wires yes = Value(e.args[1]);
  Wires no = Value(e.args[2]);
  Wires result;
  result.data = Wire(e.type, fmt::format("{} ? {} : {}", c.data, yes.data, no.data));
  std::string chosen;
  if (!yes.error.empty() || !no.error.empty()) {
    chosen = fmt::format("({} ? {} : {})", c.data, yes.error.empty() ? "1'b0" : yes.error,
                         no.error.empty() ? "1'b0" : no.error);
  }
  result.error = Flag(Or(c.error, chosen));
  return result;
}

Wires VerilogFunction::Value(const ExprRef& expr) {
  const Expr& e = *expr;
  switch (e.op) {
    case Op::kConst:
      if (e.constant.is_error()) return {Constant(stream::Value::Int(0), SimpleType(TypeKind::kInt)), "1'b1"};
      return {Constant(e.constant, e.type), ""};
    case Op::kLocal:
      if (IsParameter(expr)) return Fail("an Option that is stored or compared");
      return e.local < parameters.size() ? parameters[e.local].value : lets_[e.local];
    case Op::kLet: {
      Wires bound = Value(e.args[0]);
      lets_[e.local] = bound;
      return Value(e.args[1]);
    }
    case Op::kIf:
      return Conditional(e);
    case Op::kAnd:
    case Op::kOr: {
      Wires a = Value(e.args[0]);
      Wires b = Value(e.args[1]);
      bool is_and = e.op == Op::kAnd;
      Wires result{Wire(e.type, fmt::format("{} {} {}", a.data, is_and ? "&" : "|", b.data)), ""};
      std::string lazy = b.error.empty() ? "" : fmt::format("({}{} & {})", is_and ? "" : "~", a.data, b.error);
      result.error = Flag(Or(a.error, lazy));
      return result;
    }
    case Op::kOrElse: {
      if (!IsParameter(e.args[0])) return Fail("an Option that is stored or compared");
      const OptionWires& p = parameters[e.args[0]->local];
      Wires other = Value(e.args[1]);
      Wires result{Wire(e.type, fmt::format("{} ? {} : {}", p.valid, p.value.data, other.data)), ""};
      std::string error;
      if (!p.value.error.empty() || !other.error.empty()) {
        error = fmt::format("({} ? {} : {})", p.valid, p.value.error.empty() ? "1'b0" : p.value.error,
                            other.error.empty() ? "1'b0" : other.error);
      }
      result.error = Flag(error);
      return result;
    }
    case Op::kPrimitive:
      return Primitive(e);
    case Op::kCall:
      return Fail("a recursive function");
    case Op::kRecord:
    case Op::kMember:
      return Fail("a record or tuple");
    case Op::kSome:
      return Fail("an Option that is stored or compared");
    default:
      return Fail("a set, map or list");
  }
}

Wires VerilogFunction::Arithmetic(const Expr& e, const Wires& a, const Wires& b) {
  int w = options_.int_width;
  std::string error = Or(a.error, b.error);
  int64_t constant = 0;
  using P = stream::Primitive;
  // One bit more for sums, twice as many for products: the result overflows when the upper bits are not the sign.
  auto checked = [&](const std::string& operation, int bits) {
    std::string wide = fmt::format("{}_{}", prefix_, next_++);
    text_ += fmt::format("  wire signed [{}:0] {} = {};\n", bits - 1, wide, operation);
    Wires result{Wire(e.type, fmt::format("{}[{}:0]", wide, w - 1)), ""};
    std::string overflow =
        fmt::format("({} != {{{{{}{{{}[{}]}}}}, {}[{}:0]}})", wide, bits - w, wide, w - 1, wide, w - 1);
    result.error = Flag(Or(error, overflow));
    return result;
  };
  auto extended = [&](const std::string& x, int by) {
    return fmt::format("$signed({{{{{}{{{}[{}]}}}}, {}}})", by, x, w - 1, x);
  };
  std::string x = Wire(SimpleType(TypeKind::kInt), a.data);
  std::string y = b.data.empty() ? "" : Wire(SimpleType(TypeKind::kInt), b.data);
  switch (e.primitive) {
    case P::kAdd:
      return checked(fmt::format("{} + {}", extended(x, 1), extended(y, 1)), w + 1);
    case P::kSub:
      return checked(fmt::format("{} - {}", extended(x, 1), extended(y, 1)), w + 1);
    case P::kNeg:
      return checked(fmt::format("-{}", extended(x, 1)), w + 1);
    case P::kMul:
      return checked(fmt::format("{} * {}", extended(x, w), extended(y, w)), 2 * w);
    case P::kDiv:
    case P::kMod: {
      if (!ConstantOperand(e, &constant) || constant == 0)
        return Fail("division or modulo by something that is not a constant");
      if (constant == -1)
        return e.primitive == P::kMod ? Wires{Wire(e.type, Constant(stream::Value::Int(0), e.type)), Flag(error)}
                                      : checked(fmt::format("-{}", extended(x, 1)), w + 1);
      return {Wire(e.type, fmt::format("{} {} {}", x, e.primitive == P::kDiv ? "/" : "%", y)), Flag(error)};
    }
    case P::kShiftLeft:
    case P::kShiftRight: {
      if (!ConstantOperand(e, &constant) || constant < -63 || constant > 63) {
        return Fail("a shift by something that is not a constant below 64");
      }
      bool left = (e.primitive == P::kShiftLeft) == (constant >= 0);
      int64_t count = constant < 0 ? -constant : constant;
      if (!left) return {Wire(e.type, fmt::format("{} >>> {}", x, count)), Flag(error)};
      return checked(fmt::format("{} <<< {}", extended(x, 64), count), w + 64);
    }
    default:
      return Fail("an operation that is not arithmetic");
  }
}

Wires VerilogFunction::Primitive(const Expr& e) {
  using P = stream::Primitive;
  const ExprRef& first = e.args[0];
  if (IsParameter(first)) {
    const OptionWires& p = parameters[first->local];
    if (e.primitive == P::kIsSome) return {p.valid, ""};
    if (e.primitive == P::kIsNone) return {fmt::format("(~{})", p.valid), ""};
    if (e.primitive == P::kGetSome) return {p.value.data, Flag(Or(p.value.error, fmt::format("(~{})", p.valid)))};
  }
  auto name = [&] { return fmt::format("`{}`", InfoOf(e.primitive).name); };
  for (const ExprRef& arg : e.args) {
    if (VerilogWidth(arg->type, options_) < 0) return Fail(fmt::format("{} on {}", name(), ToText(arg->type)));
  }
  Wires a = Value(first);
  Wires b = e.args.size() > 1 ? Value(e.args[1]) : Wires{};
  std::string error = Or(a.error, b.error);
  auto plain = [&](const std::string& operation) { return Wires{Wire(e.type, operation), Flag(error)}; };
  auto binary = [&](const char* op) { return plain(fmt::format("{} {} {}", a.data, op, b.data)); };
  bool unit = VerilogWidth(first->type, options_) == 0;
  switch (e.primitive) {
    case P::kEq:
      return unit ? plain("1'b1") : binary("==");
    case P::kNeq:
      return unit ? plain("1'b0") : binary("!=");
    case P::kLt:
      return binary("<");
    case P::kGt:
      return binary(">");
    case P::kLeq:
      return binary("<=");
    case P::kGeq:
      return binary(">=");
    case P::kNot:
      return plain(fmt::format("~{}", a.data));
    case P::kBitAnd:
      return binary("&");
    case P::kBitOr:
      return binary("|");
    case P::kBitXor:
      return binary("^");
    case P::kBitFlip:
      return plain(fmt::format("~{}", a.data));
    case P::kAdd:
    case P::kSub:
    case P::kMul:
    case P::kNeg:
    case P::kDiv:
    case P::kMod:
    case P::kShiftLeft:
    case P::kShiftRight:
      return Arithmetic(e, a, b);
    case P::kSetAdd:
    case P::kSetRemove:
    case P::kSetContains:
    case P::kSetSize:
    case P::kSetUnion:
    case P::kSetIntersection:
    case P::kSetMinus:
    case P::kMapAdd:
    case P::kMapRemove:
    case P::kMapContains:
    case P::kMapGet:
    case P::kMapSize:
      return Collection(e, a, b);
    default:
      return Fail(name());
  }
}

// Sets and maps with a bound. An element is decoded into one wire for each possible one; none is set beyond the bound.
Wires VerilogFunction::Collection(const Expr& e, const Wires& a, const Wires& b) {
  using P = stream::Primitive;
  int n = options_.bound;
  std::string error = Or(a.error, b.error);
  std::string s = Wire(e.args[0]->type, a.data);
  if (e.primitive == P::kSetUnion) return {Wire(e.type, fmt::format("{} | {}", s, b.data)), Flag(error)};
  if (e.primitive == P::kSetIntersection) return {Wire(e.type, fmt::format("{} & {}", s, b.data)), Flag(error)};
  if (e.primitive == P::kSetMinus) return {Wire(e.type, fmt::format("{} & ~{}", s, b.data)), Flag(error)};
  if (e.primitive == P::kSetSize || e.primitive == P::kMapSize) {
    std::string sum;
    for (int i = 0; i < n; ++i)
      sum += fmt::format("{}{{{}'b0, {}[{}]}}", i > 0 ? " + " : "", options_.int_width - 1, s, i);
    return {Wire(e.type, sum), Flag(error)};
  }
  std::string key = Wire(SimpleType(TypeKind::kInt), b.data);
  std::string hit = fmt::format("{}_{}", prefix_, next_++);
  text_ += fmt::format("  wire [{}:0] {};\n", n - 1, hit);
  for (int i = 0; i < n; ++i) text_ += fmt::format("  assign {0}[{1}] = {2} == {1};\n", hit, i, key);
  std::string beyond = fmt::format("(~|{})", hit);
  std::string mask = fmt::format("{}[{}:0]", s, n - 1);
  int width = e.args[0]->type && Resolve(e.args[0]->type)->kind == TypeKind::kMap
                  ? VerilogWidth(Resolve(e.args[0]->type)->args[1], options_)
                  : 0;
  auto slot = [&](int i) { return fmt::format("{}[{}:{}]", s, n + (i + 1) * width - 1, n + i * width); };
  auto chosen = [&](int i) { return fmt::format("{{{}{{{}[{}]}}}}", width, hit, i); };
  switch (e.primitive) {
    case P::kSetAdd:
      return {Wire(e.type, fmt::format("{} | {}", s, hit)), Flag(Or(error, beyond))};
    case P::kSetRemove:
      return {Wire(e.type, fmt::format("{} & ~{}", s, hit)), Flag(error)};
    case P::kSetContains:
    case P::kMapContains:
      return {Wire(e.type, fmt::format("|({} & {})", mask, hit)), Flag(error)};
    case P::kMapGet: {
      std::string value;
      for (int i = 0; i < n; ++i) value += fmt::format("{}({} & {})", i > 0 ? " | " : "", chosen(i), slot(i));
      return {Wire(e.type, value), Flag(Or(error, fmt::format("(~|({} & {}))", mask, hit)))};
    }
    default:
      break;
  }
  bool add = e.primitive == P::kMapAdd;
  Wires c = add ? Value(e.args[2]) : Wires{};
  std::string v = add ? Wire(e.args[2]->type, c.data) : "";
  std::string parts;
  for (int i = n - 1; i >= 0; --i) {
    parts +=
        add ? fmt::format("{}[{}] ? {} : {}, ", hit, i, v, slot(i)) : fmt::format("{} & ~{}, ", slot(i), chosen(i));
  }
  std::string keys = fmt::format("{} {} {}", mask, add ? "|" : "& ~", hit);
  return {Wire(e.type, fmt::format("{{{}{}}}", parts, keys)), Flag(Or(Or(error, c.error), add ? beyond : ""))};
}

OptionWires VerilogFunction::Tail(const ExprRef& expr) {
  const Expr& e = *expr;
  if (e.op == Op::kSome) return {"1'b1", Value(e.args[0])};
  if (e.op == Op::kConst && e.constant.tag() == Tag::kNone) return {"1'b0", {"", ""}};
  if (IsParameter(expr)) return parameters[e.local];
  if (e.op == Op::kLet) {
    lets_[e.local] = Value(e.args[0]);
    return Tail(e.args[1]);
  }
  if (e.op != Op::kIf) return {"1'b0", Fail("an Option that is stored or compared")};
  Wires c = Value(e.args[0]);
  OptionWires yes = Tail(e.args[1]);
  OptionWires no = Tail(e.args[2]);
  OptionWires result;
  result.valid = Flag(Or(c.error, fmt::format("({} ? {} : {})", c.data, yes.valid, no.valid)));
  // A missing side has no data: the other's may stand there, nobody looks.
  TypeRef type = Resolve(e.type)->args[0];
  if (yes.value.data.empty() || no.value.data.empty()) {
    result.value.data = yes.value.data.empty() ? no.value.data : yes.value.data;
  } else {
    result.value.data = Wire(type, fmt::format("{} ? {} : {}", c.data, yes.value.data, no.value.data));
  }
  std::string chosen;
  if (!yes.value.error.empty() || !no.value.error.empty()) {
    chosen = fmt::format("({} ? {} : {})", c.data, yes.value.error.empty() ? "1'b0" : yes.value.error,
                         no.value.error.empty() ? "1'b0" : no.value.error);
  }
  result.value.error = Flag(Or(c.error, chosen));
  return result;
}

}  // namespace heddle::stream
