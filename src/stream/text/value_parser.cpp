#include "stream/text/value_parser.h"

#include <charconv>

#include "stream/core/core.h"

namespace heddle::stream {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

}  // namespace

void ValueParser::SkipSpaces() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
}

bool ValueParser::Fail(std::string message) {
  if (error_.message.empty()) error_ = {at_, std::move(message)};
  return false;
}

bool ValueParser::Accept(std::string_view text) {
  SkipSpaces();
  if (!text_.substr(at_).starts_with(text)) return false;
  at_ += text.size();
  return true;
}

bool ValueParser::Expect(std::string_view text) { return Accept(text) || Fail("expected `" + std::string(text) + "`"); }

bool ValueParser::AtEnd() {
  SkipSpaces();
  return at_ == text_.size() || text_[at_] == '#' || text_.substr(at_).starts_with("--");
}

bool ValueParser::ParseNumber(bool real, Value* value) {
  SkipSpaces();
  const char* first = text_.data() + at_;
  const char* last = text_.data() + text_.size();
  if (real) {
    double d = 0;
    auto result = std::from_chars(first, last, d);
    if (result.ec != std::errc()) return Fail("expected a number");
    at_ += static_cast<size_t>(result.ptr - first);
    *value = Value::Float(d);
    return true;
  }
  int64_t i = 0;
  bool hex = text_.substr(at_).starts_with("0x");
  auto result = hex ? std::from_chars(first + 2, last, i, 16) : std::from_chars(first, last, i);
  if (result.ec == std::errc::result_out_of_range) return Fail("the integer does not fit in 64 bits");
  if (result.ec != std::errc()) return Fail("expected an integer");
  at_ += static_cast<size_t>(result.ptr - first);
  *value = Value::Int(i);
  return true;
}

// The four digits after \u, as UTF-8.
bool ValueParser::ParseCodePoint(std::string* out) {
  uint32_t code = 0;
  const char* begin = text_.data() + at_;
  if (text_.size() - at_ < 4) return false;
  auto [end, error] = std::from_chars(begin, begin + 4, code, 16);
  if (error != std::errc() || end != begin + 4) return false;
  at_ += 4;
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xC0U | code >> 6U);
    *out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    *out += static_cast<char>(0xE0U | code >> 12U);
    *out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    *out += static_cast<char>(0x80U | (code & 0x3FU));
  }
  return true;
}

// After a dollar sign in a string: ${expression}, or the name of the variable.
bool ValueParser::Interpolate(std::string* out) {
  std::string_view word = text_.substr(at_, text_.find_first_not_of(kLetters, at_) - at_);
  Value value;
  if (Accept("{")) {
    SkipSpaces();
    bool text = at_ < text_.size() && text_[at_] == '"';
    if (!(text ? ParseString(&value) : Operation(0, &value)) || !Expect("}")) return false;
  } else if (!word.empty() && word == variable_) {
    at_ += word.size();
    value = Value::Int(variable_value_);
  } else {
    return Fail("expected `{` after `$` (a dollar sign itself is `\\$`)");
  }
  *out += value.tag() == Tag::kString ? std::string(value.text()) : ToText(value);
  return true;
}

bool ValueParser::ParseString(Value* value) {
  if (!Expect("\"")) return false;
  std::string out;
  while (at_ < text_.size() && text_[at_] != '"') {
    char c = text_[at_++];
    if (c == '$') {
      if (!Interpolate(&out)) return false;
      continue;
    }
    if (c == '\\' && at_ < text_.size()) {
      char escaped = text_[at_++];
      if (escaped == 'u') {
        if (!ParseCodePoint(&out)) return Fail("expected four hexadecimal digits after `\\u`");
        continue;
      }
      static constexpr std::string_view kEscapes = "ntra\\\"$%";
      if (kEscapes.find(escaped) == std::string_view::npos) return Fail("unknown escape in a string");
      c = escaped == 'n' ? '\n' : (escaped == 't' ? '\t' : (escaped == 'r' ? '\r' : (escaped == 'a' ? '\a' : escaped)));
    }
    out += c;
  }
  if (!Accept("\"")) return Fail("the string is not closed");
  *value = Value::String(out);
  return true;
}

bool ValueParser::ParseOption(const Type& type, Value* value) {
  if (Accept("None")) {
    *value = Value::None();
    return true;
  }
  Value item;
  if (!Accept("Some")) return Fail("expected `Some(...)` or `None`");
  if (!Expect("(") || !Parse(type.args[0], &item) || !Expect(")")) return false;
  *value = Value::Some(std::move(item));
  return true;
}

bool ValueParser::ParseTree(const Type& type, Value* value) {
  bool set = type.kind == TypeKind::kSet;
  bool map = type.kind == TypeKind::kMap;
  const char* name = set ? "Set" : (map ? "Map" : "List");
  if (!Expect(name) || !Expect("(")) return false;
  Value result = Value::Tree(set ? Tag::kSet : (map ? Tag::kMap : Tag::kList), nullptr);
  while (!Accept(")")) {
    Value key;
    Value mapped;
    if (!Parse(type.args[0], &key)) return false;
    if (map && (!Expect("->") || !Parse(type.args[1], &mapped))) return false;
    if (map) {
      result = primitive::MapAdd(std::move(result), std::move(key), std::move(mapped));
    } else if (set) {
      result = primitive::SetAdd(std::move(result), std::move(key));
    } else {
      result = primitive::ListAppend(std::move(result), std::move(key));
    }
    if (Accept(")")) break;
    if (!Expect(",")) return false;
  }
  *value = std::move(result);
  return true;
}

bool ValueParser::ParseRecord(const Type& type, Value* value) {
  bool tuple = IsTuple(type);
  if (!(tuple ? Expect("(") : (Accept("${") || Expect("{")))) return false;
  Value record =
      Value::Array(Tag::kRecord, ArrayCell::Make(static_cast<uint32_t>(type.args.size()), ShapeOf(type.names)));
  for (size_t i = 0; i < type.args.size(); ++i) {
    if (i > 0 && !Expect(",")) return false;
    if (!tuple && (!Expect(type.names[i]) || !(Accept(":") || Expect("=")))) return false;
    if (!Parse(type.args[i], &record.array()->items()[i])) return false;
  }
  Accept(",");
  *value = std::move(record);
  return Expect(tuple ? ")" : "}");
}

namespace {

struct Operator {
  std::string_view text;
  int level;
  Primitive primitive;
};
// Longest first within a level; 0 binds loosest.
constexpr Operator kOperators[] = {
    {"||", 0, Primitive::kBitOr},     {"&&", 1, Primitive::kBitAnd},     {"==", 2, Primitive::kEq},
    {"!=", 2, Primitive::kNeq},       {"<=", 2, Primitive::kLeq},        {">=", 2, Primitive::kGeq},
    {"<<", 5, Primitive::kShiftLeft}, {">>", 5, Primitive::kShiftRight}, {"<", 2, Primitive::kLt},
    {">", 2, Primitive::kGt},         {"|", 3, Primitive::kBitOr},       {"^", 3, Primitive::kBitXor},
    {"&", 4, Primitive::kBitAnd},     {"+", 6, Primitive::kAdd},         {"-", 6, Primitive::kSub},
    {"*", 7, Primitive::kMul},        {"/", 7, Primitive::kDiv},         {"%", 7, Primitive::kMod},
};
constexpr int kHighest = 8;

}  // namespace

// Operators on constants, as the older traces have them; all associate to the left.
bool ValueParser::Operation(int level, Value* value) {
  if (level == kHighest) return Operand(value);
  if (!Operation(level + 1, value)) return false;
  for (;;) {
    SkipSpaces();
    std::string_view rest = text_.substr(at_);
    if (rest.starts_with("--") || rest.starts_with("->")) return true;
    const Operator* found = nullptr;
    for (const Operator& op : kOperators) {
      if (rest.starts_with(op.text)) {
        found = &op;
        break;
      }
    }
    if (found == nullptr || found->level != level) return true;
    at_ += found->text.size();
    Value right;
    if (!Operation(level + 1, &right)) return false;
    bool logic = level < 2;
    bool equality = found->primitive == Primitive::kEq || found->primitive == Primitive::kNeq;
    Tag wanted = logic ? Tag::kBool : Tag::kInt;
    if (value->tag() != right.tag() || (!equality && value->tag() != wanted))
      return Fail("the operands do not go together");
    if (logic) {
      *value = Value::Bool(level == 0 ? value->boolean() || right.boolean() : value->boolean() && right.boolean());
      continue;
    }
    Value operands[2] = {std::move(*value), std::move(right)};
    *value = Apply(found->primitive, operands);
    if (value->is_error()) return Fail(std::string(value->text()));
  }
}

bool ValueParser::Operand(Value* value) {
  SkipSpaces();
  if (++depth_ > kMaxDepth) return Fail("the value is nested too deeply");
  bool good = OperandHere(value);
  --depth_;
  return good;
}

bool ValueParser::OperandHere(Value* value) {
  if (Accept("(")) return Operation(0, value) && Expect(")");
  bool digit = at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] >= '0' && text_[at_ + 1] <= '9';
  if (!digit && (Accept("-") || Accept("~") || Accept("!"))) {
    char op = text_[at_ - 1];
    if (!Operand(value)) return false;
    if (value->tag() != (op == '!' ? Tag::kBool : Tag::kInt)) return Fail("the operand does not fit");
    Value operands[1] = {std::move(*value)};
    *value = Apply(op == '!' ? Primitive::kNot : (op == '-' ? Primitive::kNeg : Primitive::kBitFlip), operands);
    return true;
  }
  std::string_view word = text_.substr(at_, text_.find_first_not_of(kLetters, at_) - at_);
  if (word == "true" || word == "false") {
    at_ += word.size();
    *value = Value::Bool(word == "true");
    return true;
  }
  if (word == "if") {
    at_ += word.size();
    Value condition;
    Value other;
    if (!Operation(0, &condition) || !Expect("then") || !Operation(0, value) || !Expect("else") ||
        !Operation(0, &other))
      return false;
    if (condition.tag() != Tag::kBool) return Fail("expected `true` or `false`");
    if (!condition.boolean()) *value = std::move(other);
    return true;
  }
  if (!variable_.empty() && word == variable_) {
    at_ += word.size();
    *value = Value::Int(variable_value_);
    return true;
  }
  return ParseNumber(false, value);
}

bool ValueParser::Parse(const TypeRef& type, Value* value) {
  TypeRef t = Resolve(type);
  if (++depth_ > kMaxDepth) return Fail("the value is nested too deeply");
  bool good = false;
  switch (t->kind) {
    case TypeKind::kInt:
      good = Operation(0, value) && (value->tag() == Tag::kInt || Fail("expected an integer"));
      break;
    case TypeKind::kFloat:
      good = ParseNumber(true, value);
      break;
    case TypeKind::kBool:
      good = Operation(0, value) && (value->tag() == Tag::kBool || Fail("expected `true` or `false`"));
      break;
    case TypeKind::kUnit:
      good = Accept("()") || Accept("{}") || Fail("expected `()`");
      *value = Value();
      break;
    case TypeKind::kString:
      good = ParseString(value);
      break;
    case TypeKind::kOption:
      good = ParseOption(*t, value);
      break;
    case TypeKind::kSet:
    case TypeKind::kMap:
    case TypeKind::kList:
      good = ParseTree(*t, value);
      break;
    case TypeKind::kRecord:
      good = ParseRecord(*t, value);
      break;
    default:
      good = Fail("values of this type cannot be read");
  }
  --depth_;
  return good;
}

}  // namespace heddle::stream
