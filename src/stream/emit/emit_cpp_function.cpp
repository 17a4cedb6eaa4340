#include <fmt/format.h>

#include "stream/emit/cpp_writer.h"
#include "stream/run/print.h"

namespace heddle::stream {

std::string CppLiteral(std::string_view text) {
  std::string out = "\"";
  for (char c : text) out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  return out + "\"";
}

std::string CppShared::ConstantCode(const Value& value) {
  switch (value.tag()) {
    case Tag::kInt:
      if (value.integer() == INT64_MIN) return "Value::Int(INT64_MIN)";
      return fmt::format("Value::Int(INT64_C({}))", value.integer());
    case Tag::kBool:
      return fmt::format("Value::Bool({})", value.boolean());
    case Tag::kUnit:
      return "Value()";
    case Tag::kFloat:
      if (std::isnan(value.real())) return "Value::Float(NAN)";
      if (std::isinf(value.real())) return value.real() < 0 ? "Value::Float(-INFINITY)" : "Value::Float(INFINITY)";
      return fmt::format("Value::Float({:a})", value.real());
    case Tag::kNone:
      return "Value::None()";
    case Tag::kError:
    case Tag::kString:
      return fmt::format("Value::{}(std::string_view({}, {}))", value.is_error() ? "Error" : "String",
                         CppLiteral(value.text()), value.text().size());
    case Tag::kSome:
      return fmt::format("Value::Some({})", ConstantCode(value.array()->items()[0]));
    case Tag::kRecord: {
      std::string items;
      for (uint32_t i = 0; i < value.array()->count; ++i)
        items += (i > 0 ? ", " : "") + ConstantCode(value.array()->items()[i]);
      return fmt::format("MakeRecord(&{}, {{{}}})", Shape(value.array()->shape), items);
    }
    default: {
      std::string tag = value.tag() == Tag::kSet ? "kSet" : (value.tag() == Tag::kMap ? "kMap" : "kList");
      std::string items;
      ForEachNode(value.tree(), [&](TreeNode* node) {
        items +=
            fmt::format("{}{{{}, {}}}", items.empty() ? "" : ", ", ConstantCode(node->key), ConstantCode(node->value));
      });
      return fmt::format("MakeTree(Tag::{}, {{{}}})", tag, items);
    }
  }
}

std::string CppShared::Constant(const Value& value) {
  std::string code = ConstantCode(value);
  auto [found, added] = constant_names_.try_emplace(code, fmt::format("k{}", constants_.size()));
  if (added) constants_.push_back(fmt::format("const Value {} = {};\n", found->second, code));
  return found->second;
}

std::string CppShared::Shape(const RecordShape* shape) {
  auto [found, added] = shapes_.try_emplace(shape, fmt::format("kShape{}", shapes_.size()));
  if (added) {
    std::string names;
    for (const std::string& name : shape->names) names += (names.empty() ? "" : ", ") + CppLiteral(name);
    shape_code_ += fmt::format("const RecordShape {}{{{{{}}}, {}}};\n", found->second, names, shape->tuple);
  }
  return found->second;
}

std::string CppShared::FunctionName(const Function* function) {
  auto [found, added] = functions_.try_emplace(function, fmt::format("Function{}", functions_.size()));
  if (added) pending_.push_back(function);
  return found->second;
}

std::string CppShared::Definitions() {
  std::string declarations;
  std::string bodies;
  for (size_t i = 0; i < pending_.size(); ++i) {  // writing a body may add more
    const Function* function = pending_[i];
    std::string head = fmt::format("Value {}(", FunctionName(function));
    for (uint32_t k = 0; k < function->parameters; ++k) head += fmt::format("{}Value l{}", k > 0 ? ", " : "", k);
    head += ")";
    declarations += head + ";\n";
    bodies +=
        head +
        " {\n  if (call_depth >= 2000) return Value::Error(\"Recursion too deep\");\n  ++call_depth;\n  Value r;\n";
    bodies += CppWriter(*this, 0).Into("r", function->body, {}) + "  --call_depth;\n  return r;\n}\n";
  }
  std::string out = shape_code_;
  for (const std::string& constant : constants_) out += constant;
  return out + declarations + bodies;
}

std::string CppWriter::Native(const ExprRef& expr) {
  if (live_.AsksPresence(expr)) {
    return fmt::format("{}p_{}", expr->primitive == Primitive::kIsNone ? "!" : "", expr->args[0]->local);
  }
  if (expr->op == Op::kAnd || expr->op == Op::kOr) {
    std::string left = Native(expr->args[0]);
    std::string right = Native(expr->args[1]);
    if (left.empty() || right.empty()) return "";
    return fmt::format("({} {} {})", left, expr->op == Op::kAnd ? "&&" : "||", right);
  }
  return "";
}

std::string CppWriter::Operand(const ExprRef& expr, const LocalSet& after, std::string& before) {
  if (expr->op == Op::kLocal && !live_.IsParameter(expr)) {
    return after.contains(expr->local) ? fmt::format("l{}", expr->local) : fmt::format("std::move(l{})", expr->local);
  }
  if (expr->op == Op::kConst) return shared_.Constant(expr->constant);
  std::string name = Temporary();
  before += fmt::format("Value {};\n", name) + Into(name, expr, after);
  return fmt::format("std::move({})", name);
}

std::string CppWriter::Conditional(const std::string& to, const Expr& e, const LocalSet& after) {
  std::string native = Native(e.args[0]);
  std::string yes = Into(to, e.args[1], after);
  std::string no = Into(to, e.args[2], after);
  if (!native.empty()) return fmt::format("if ({}) {{\n{}}} else {{\n{}}}\n", native, yes, no);
  std::string c = Temporary();
  std::string code = fmt::format("{{\nValue {};\n", c) + Into(c, e.args[0], After(After(after, e.args[1]), e.args[2]));
  return code +
         fmt::format("if ({0}.is_error()) {1} = std::move({0}); else if ({0}.boolean()) {{\n{2}}} else {{\n{3}}}\n}}\n",
                     c, to, yes, no);
}

std::string CppWriter::PrimitiveCode(const std::string& to, const ExprRef& expr, const LocalSet& after) {
  const Expr& e = *expr;
  std::string native = Native(expr);
  if (!native.empty()) return fmt::format("{} = Value::Bool({});\n", to, native);
  if (e.primitive == Primitive::kGetSome && live_.IsParameter(e.args[0])) {
    uint32_t k = e.args[0]->local;
    std::string read = after.contains(k) ? fmt::format("l{}", k) : fmt::format("std::move(l{})", k);
    std::string message = "Tried get on None.";
    if (!e.place.empty()) message += Value::kPlaceMark + e.place;
    return fmt::format("if (p_{}) {} = {}; else {} = Value::Error({});\n", k, to, read, to, CppLiteral(message));
  }
  std::string code = "{\n";
  std::string operands;
  // Operands are passed by value from left to right, so a local that a later operand also reads must not be moved by
  // either of the two.
  for (size_t i = 0; i < e.args.size(); ++i) {
    LocalSet rest = after;
    for (size_t j = 0; j < e.args.size(); ++j) {
      if (j > i || (j < i && e.args[j]->op == Op::kLocal)) rest = After(rest, e.args[j]);
    }
    operands += ", " + Operand(e.args[i], rest, code);
  }
  bool compares = e.primitive == Primitive::kEq || e.primitive == Primitive::kNeq;
  if (compares)
    return code + fmt::format("{} = {}Ref({});\n}}\n", to, InfoOf(e.primitive).function, operands.substr(2));
  std::string place = e.place.empty() ? "" : fmt::format("Locate({}, {});\n", to, CppLiteral(e.place));
  return code + fmt::format("{} = Strict([](auto... v) {{ return primitive::{}(std::move(v)...); }}{});\n{}}}\n", to,
                            InfoOf(e.primitive).function, operands, place);
}

std::string CppWriter::FoldCode(const std::string& to, const ExprRef& expr, const LocalSet& after) {
  const Expr& e = *expr;
  bool map = e.op == Op::kSetMap || e.op == Op::kListMap;
  const ExprRef& body = e.args.back();
  LocalSet inside = After(after, body);
  for (uint32_t local : e.locals) inside.erase(local);
  std::string c = Temporary();
  std::string a = Temporary();
  std::string code =
      fmt::format("{{\nValue {}, {};\n", c, a) + Into(c, e.args[0], map ? inside : After(inside, e.args[1]));
  if (!map) code += Into(a, e.args[1], inside);
  if (map) code += fmt::format("{} = Value::Tree(Tag::{}, nullptr);\n", a, e.op == Op::kSetMap ? "kSet" : "kList");
  std::string item = Temporary();
  code += fmt::format(
      "if ({0}.is_error()) {1} = std::move({0}); else {{\nForEachNode({0}.tree(), [&](TreeNode* node) {{\nValue {2};\n",
      c, to, item);
  size_t at = 0;
  if (!map) code += fmt::format("Value l{} = std::move({});\n", e.locals[at++], a);
  code += fmt::format("Value l{} = node->key;\n", e.locals[at++]);
  if (e.op == Op::kMapFold) code += fmt::format("Value l{} = node->value;\n", e.locals[at]);
  code += Into(item, body, inside);
  if (map) {
    code += fmt::format(
        "{0} = Strict([](Value x, Value y) {{ return primitive::{1}(std::move(x), std::move(y)); }}, std::move({0}), "
        "std::move({2}));\n",
        a, e.op == Op::kSetMap ? "SetAdd" : "ListAppend", item);
  } else {
    code += fmt::format("{} = std::move({});\n", a, item);
  }
  return code + fmt::format("}});\n{} = std::move({});\n}}\n}}\n", to, a);
}

std::string CppWriter::Into(const std::string& to, const ExprRef& expr, const LocalSet& after) {
  const Expr& e = *expr;
  switch (e.op) {
    case Op::kConst:
      return fmt::format("{} = {};\n", to, shared_.Constant(e.constant));
    case Op::kLocal: {
      std::string read = after.contains(e.local) ? fmt::format("l{}", e.local) : fmt::format("std::move(l{})", e.local);
      if (!live_.IsParameter(expr)) return fmt::format("{} = {};\n", to, read);
      return fmt::format("if (p_{}) {} = Value::Some({}); else {} = Value::None();\n", e.local, to, read, to);
    }
    case Op::kLet: {
      LocalSet rest = live_.Uses(e.args[1]);
      rest.erase(e.local);
      std::string bound = Into(fmt::format("l{}", e.local), e.args[0], Liveness::Join(after, rest));
      return fmt::format("{{\nValue l{};\n{}{}}}\n", e.local, bound, Into(to, e.args[1], after));
    }
    case Op::kIf:
      return Conditional(to, e, after);
    case Op::kAnd:
    case Op::kOr: {
      if (std::string native = Native(expr); !native.empty()) return fmt::format("{} = Value::Bool({});\n", to, native);
      std::string code = Into(to, e.args[0], After(after, e.args[1]));
      return code + fmt::format("if (!{0}.is_error() && {1}{0}.boolean()) {{\n{2}}}\n", to, e.op == Op::kOr ? "!" : "",
                                Into(to, e.args[1], after));
    }
    case Op::kSome: {
      std::string code = "{\n";
      std::string operand = Operand(e.args[0], after, code);
      return code + fmt::format("{} = Value::Some({});\n}}\n", to, operand);
    }
    case Op::kOrElse: {
      std::string other = Into(to, e.args[1], after);
      if (live_.IsParameter(e.args[0])) {
        return fmt::format("if (p_{0}) {1} = l{0}; else {{\n{2}}}\n", e.args[0]->local, to, other);
      }
      std::string o = Temporary();
      std::string code = fmt::format("{{\nValue {};\n", o) + Into(o, e.args[0], After(after, e.args[1]));
      return code + fmt::format(
                        "if ({0}.is_error()) {1} = std::move({0}); else if ({0}.tag() == Tag::kSome) {1} = "
                        "{0}.array()->items()[0]; else {{\n{2}}}\n}}\n",
                        o, to, other);
    }
    case Op::kRecord:
    case Op::kCall: {
      std::string code = "{\n";
      std::vector<std::string> items;
      for (size_t i = 0; i < e.args.size(); ++i) {
        LocalSet rest = after;
        for (size_t j = i + 1; j < e.args.size(); ++j) rest = After(rest, e.args[j]);
        std::string item = Temporary();
        code += fmt::format("Value {};\n", item) + Into(item, e.args[i], rest);
        items.push_back(fmt::format("std::move({})", item));
      }
      if (e.op == Op::kCall) {
        return code +
               fmt::format("{} = {}({});\n}}\n", to, shared_.FunctionName(e.function.get()), fmt::join(items, ", "));
      }
      return code +
             fmt::format("{} = MakeRecord(&{}, {{{}}});\n}}\n", to, shared_.Shape(e.shape), fmt::join(items, ", "));
    }
    case Op::kMember: {
      std::string r = Temporary();
      std::string code = fmt::format("{{\nValue {};\n", r) + Into(r, e.args[0], after);
      return code + fmt::format("if ({0}.is_error()) {1} = std::move({0}); else {1} = {0}.array()->items()[{2}];\n}}\n",
                                r, to, e.local);
    }
    case Op::kSetFold:
    case Op::kSetMap:
    case Op::kMapFold:
    case Op::kListFold:
    case Op::kListMap:
      return FoldCode(to, expr, after);
    case Op::kOpaque:
      return fmt::format("{} = Value::Error(\"opaque\");\n", to);
    case Op::kPrimitive:
      break;
  }
  return PrimitiveCode(to, expr, after);
}

std::string CppWriter::Tail(const std::string& to, const std::string& flag, const ExprRef& expr,
                            const LocalSet& after) {
  const Expr& e = *expr;
  if (e.op == Op::kConst && e.constant.tag() == Tag::kNone) return "";
  if (e.op == Op::kSome) return Into(to, e.args[0], after) + fmt::format("{} = true;\n", flag);
  if (e.op == Op::kLocal && live_.IsParameter(expr)) {
    return fmt::format("if (p_{0}) {{ {1} = std::move(l{0}); {2} = true; }}\n", e.local, to, flag);
  }
  if (e.op == Op::kLet) {
    LocalSet rest = live_.Uses(e.args[1]);
    rest.erase(e.local);
    std::string bound = Into(fmt::format("l{}", e.local), e.args[0], rest);
    return fmt::format("{{\nValue l{};\n{}{}}}\n", e.local, bound, Tail(to, flag, e.args[1], after));
  }
  if (e.op == Op::kIf) {
    std::string native = Native(e.args[0]);
    std::string yes = Tail(to, flag, e.args[1], after);
    std::string no = Tail(to, flag, e.args[2], after);
    if (!native.empty()) return fmt::format("if ({}) {{\n{}}} else {{\n{}}}\n", native, yes, no);
    std::string c = Temporary();
    std::string code = fmt::format("{{\nValue {};\n", c) + Into(c, e.args[0], After(live_.Uses(e.args[1]), e.args[2]));
    return code + fmt::format(
                      "if ({0}.is_error()) {{ {1} = std::move({0}); {2} = true; }} else if ({0}.boolean()) {{\n{3}}} "
                      "else {{\n{4}}}\n}}\n",
                      c, to, flag, yes, no);
  }
  std::string o = Temporary();
  std::string code = fmt::format("{{\nValue {};\n", o) + Into(o, expr, after);
  return code +
         fmt::format(
             "if ({0}.is_error()) {{ {1} = std::move({0}); {2} = true; }} else if ({0}.tag() != Tag::kNone) {{ {1} = "
             "{0}.array()->items()[0]; {2} = true; }}\n}}\n",
             o, to, flag);
}

}  // namespace heddle::stream
