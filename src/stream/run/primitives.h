// What the value operators of TeSSLa compute. Self-contained, see value.h.
//
// Each primitive takes its operands by value, so that a tree that nobody else holds is changed in place. Operands that
// are errors are passed on before the primitive is entered (Strict), so the functions here see good values of the right
// type: the type checker has made sure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "stream/run/print.h"
#include "stream/run/tree.h"
#include "stream/run/value.h"

namespace heddle::stream {
namespace primitive {

// One calling convention for all, so that tables and generated code need not know which operands are only read.
// NOLINTBEGIN(performance-unnecessary-value-param)

inline Value Overflow() { return Value::Error("Integer overflow"); }

inline Value Add(Value a, Value b) {
  int64_t r;
  return __builtin_add_overflow(a.integer(), b.integer(), &r) ? Overflow() : Value::Int(r);
}
inline Value Sub(Value a, Value b) {
  int64_t r;
  return __builtin_sub_overflow(a.integer(), b.integer(), &r) ? Overflow() : Value::Int(r);
}
inline Value Mul(Value a, Value b) {
  int64_t r;
  return __builtin_mul_overflow(a.integer(), b.integer(), &r) ? Overflow() : Value::Int(r);
}
inline Value Neg(Value a) { return Sub(Value::Int(0), std::move(a)); }
inline Value Div(Value a, Value b) {
  if (b.integer() == 0) return Value::Error("Division by zero");
  if (b.integer() == -1) return Neg(std::move(a));
  return Value::Int(a.integer() / b.integer());
}
inline Value Mod(Value a, Value b) {
  if (b.integer() == 0) return Value::Error("Division by zero");
  if (b.integer() == -1) return Value::Int(0);
  return Value::Int(a.integer() % b.integer());
}
inline Value BitAnd(Value a, Value b) { return Value::Int(a.integer() & b.integer()); }
inline Value BitOr(Value a, Value b) { return Value::Int(a.integer() | b.integer()); }
inline Value BitXor(Value a, Value b) { return Value::Int(a.integer() ^ b.integer()); }
inline Value BitFlip(Value a) { return Value::Int(~a.integer()); }

// A negative count shifts the other way; bits that do not fit are an overflow, as integers are meant to be unbounded.
inline Value ShiftBy(int64_t a, int64_t count, bool left) {
  if (count < 0) {
    left = !left;
    count = count == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max() : -count;
  }
  if (!left) return Value::Int(a >> (count > 63 ? 63 : count));
  if (a == 0) return Value::Int(0);
  if (count > 63) return Overflow();
  auto shifted = static_cast<int64_t>(static_cast<uint64_t>(a) << count);
  return (shifted >> count) == a ? Value::Int(shifted) : Overflow();
}
inline Value ShiftLeft(Value a, Value b) { return ShiftBy(a.integer(), b.integer(), true); }
inline Value ShiftRight(Value a, Value b) { return ShiftBy(a.integer(), b.integer(), false); }

inline Value Lt(Value a, Value b) { return Value::Bool(a.integer() < b.integer()); }
inline Value Gt(Value a, Value b) { return Value::Bool(a.integer() > b.integer()); }
inline Value Leq(Value a, Value b) { return Value::Bool(a.integer() <= b.integer()); }
inline Value Geq(Value a, Value b) { return Value::Bool(a.integer() >= b.integer()); }

// NaN differs from itself, as in IEEE 754, when two floats are compared directly.
inline bool Same(const Value& a, const Value& b) {
  if (a.tag() == Tag::kFloat && b.tag() == Tag::kFloat) return a.real() == b.real();
  return Compare(a, b) == 0;
}
inline Value Eq(Value a, Value b) { return Value::Bool(Same(a, b)); }
inline Value Neq(Value a, Value b) { return Value::Bool(!Same(a, b)); }
inline Value Not(Value a) { return Value::Bool(!a.boolean()); }

inline Value FAdd(Value a, Value b) { return Value::Float(a.real() + b.real()); }
inline Value FSub(Value a, Value b) { return Value::Float(a.real() - b.real()); }
inline Value FMul(Value a, Value b) { return Value::Float(a.real() * b.real()); }
inline Value FDiv(Value a, Value b) { return Value::Float(a.real() / b.real()); }
inline Value FNeg(Value a) { return Value::Float(-a.real()); }
inline Value FLt(Value a, Value b) { return Value::Bool(a.real() < b.real()); }
inline Value FGt(Value a, Value b) { return Value::Bool(a.real() > b.real()); }
inline Value FLeq(Value a, Value b) { return Value::Bool(a.real() <= b.real()); }
inline Value FGeq(Value a, Value b) { return Value::Bool(a.real() >= b.real()); }
inline Value Pow(Value a, Value b) { return Value::Float(std::pow(a.real(), b.real())); }
// log(a, b): the logarithm of a to the base b.
inline Value Log(Value a, Value b) { return Value::Float(std::log(a.real()) / std::log(b.real())); }
inline Value Sin(Value a) { return Value::Float(std::sin(a.real())); }
inline Value Cos(Value a) { return Value::Float(std::cos(a.real())); }
inline Value Tan(Value a) { return Value::Float(std::tan(a.real())); }
inline Value Atan(Value a) { return Value::Float(std::atan(a.real())); }
inline Value IntToFloat(Value a) { return Value::Float(static_cast<double>(a.integer())); }
inline Value FloatToInt(Value a) {
  double d = std::trunc(a.real());
  if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0)) return Overflow();
  return Value::Int(static_cast<int64_t>(d));
}

inline Value Concat(Value a, Value b) { return Value::String(a.text() + b.text()); }
inline Value ToString(Value a) {
  if (a.tag() == Tag::kString) return a;
  return Value::String(ToText(a));
}
inline Value StringLength(Value a) { return Value::Int(static_cast<int64_t>(a.text().size())); }

// One conversion of a format: %[flags][width][.precision]type, with the meaning it has in Java.
struct Conversion {
  bool left = false;
  bool plus = false;
  bool space = false;
  bool alternative = false;
  bool zero = false;
  bool group = false;
  bool parentheses = false;
  int width = 0;
  int precision = -1;
  char type = 0;
};

// Reads the conversion that begins after the `%` at `at`; `at` ends behind it. False when it is none.
inline bool ReadConversion(const std::string& text, size_t& at, Conversion& c) {
  for (; at < text.size(); ++at) {
    char f = text[at];
    bool* flag = f == '-'   ? &c.left
                 : f == '+' ? &c.plus
                 : f == ' ' ? &c.space
                 : f == '#' ? &c.alternative
                 : f == '0' ? &c.zero
                 : f == ',' ? &c.group
                 : f == '(' ? &c.parentheses
                            : nullptr;
    if (flag == nullptr) break;
    *flag = true;
  }
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    c.width = c.width * 10 + (text[at] - '0');
    if (c.width > 1000) return false;
  }
  if (at < text.size() && text[at] == '.') {
    c.precision = 0;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      c.precision = c.precision * 10 + (text[at] - '0');
      if (c.precision > 300) return false;
    }
  }
  if (at >= text.size()) return false;
  c.type = text[at++];
  return true;
}

inline std::string Grouped(const std::string& digits) {
  size_t whole = digits.find_first_not_of("0123456789");
  if (whole == std::string::npos) whole = digits.size();
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

// Sign, digits and padding together.
inline std::string Signed(std::string digits, bool negative, const Conversion& c) {
  if (c.group) digits = Grouped(digits);
  std::string before = negative ? (c.parentheses ? "(" : "-") : (c.plus ? "+" : (c.space ? " " : ""));
  if (c.alternative && (c.type == 'x' || c.type == 'X')) before += "0x";
  if (c.alternative && c.type == 'o') before += "0";
  std::string after = negative && c.parentheses ? ")" : "";
  size_t length = before.size() + digits.size() + after.size();
  auto width = static_cast<size_t>(c.width);
  bool hex_float = c.type == 'a' || c.type == 'A';  // has its 0x among the digits
  if (c.zero && length < width) digits.insert(hex_float ? 2 : 0, width - length, '0');
  return before + digits + after;
}

inline std::string Digits(uint64_t value, unsigned base) {
  std::string out;
  do out += "0123456789abcdef"[value % base];
  while ((value /= base) != 0);
  std::reverse(out.begin(), out.end());
  return out;
}

// %f and %e as Java has them: the shortest digits that mean the number, rounded half up (2.25 and 0.15 become 2.3 and
// 0.2, where C rounds what is stored).
inline std::string HalfUp(double size, int precision, char type) {
  char text[40];
  for (int digits = 0; digits < 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits, size);
    if (std::strtod(text, nullptr) == size) break;
  }
  std::string digits;
  const char* at = text;
  for (; *at != 'e'; ++at) {
    if (*at != '.') digits += *at;
  }
  int exponent = std::atoi(at + 1);  // of the first digit
  bool fixed = type == 'f';
  int kept = precision + 1 + (fixed ? exponent : 0);
  if (kept < static_cast<int>(digits.size())) {
    bool up = kept >= 0 && digits[static_cast<size_t>(kept)] >= '5';
    digits.resize(static_cast<size_t>(std::max(kept, 0)));
    size_t nines = digits.size();
    while (up && nines > 0 && digits[nines - 1] == '9') digits[--nines] = '0';
    if (up && nines > 0) ++digits[nines - 1];
    if (up && nines == 0) {
      digits.insert(digits.begin(), '1');
      ++exponent;
    }
  }
  auto digit = [&](int i) {
    return i >= 0 && i < static_cast<int>(digits.size()) ? digits[static_cast<size_t>(i)] : '0';
  };
  std::string out;
  int whole = fixed ? std::max(exponent, 0) : 0;  // the digits before the point are those from 0 to this one
  for (int i = 0; i <= whole; ++i) out += digit(fixed && exponent < 0 ? exponent : i);
  if (precision > 0) out += '.';
  for (int i = 1; i <= precision; ++i) out += digit((fixed ? exponent : 0) + i);
  if (fixed) return out;
  char power[16];
  std::snprintf(power, sizeof power, "%c%c%02d", type, exponent < 0 ? '-' : '+', std::abs(exponent));
  return out + power;
}

// %a as Java writes it: digits after the point even if there are none, no sign before a positive exponent, and 1 before
// the point where C rounds up to 2.
inline std::string HexFloat(double size, int precision, char type) {
  char buffer[64];
  // A double has 13 hexadecimal digits after the point.
  bool all = precision < 0 || precision > 13;
  if (all) {
    std::snprintf(buffer, sizeof buffer, type == 'a' ? "%a" : "%A", size);
  } else {
    std::snprintf(buffer, sizeof buffer, type == 'a' ? "%.*a" : "%.*A", std::max(precision, 1), size);
  }
  std::string shown = buffer;
  size_t power = shown.find(type == 'a' ? 'p' : 'P');
  int exponent = std::atoi(shown.c_str() + power + 1);
  std::string digits = shown.substr(0, power);
  if (digits[2] == '2') {
    digits[2] = '1';
    ++exponent;
  }
  if (digits.find('.') == std::string::npos) digits += ".0";
  if (precision > 13) digits.resize(4 + static_cast<size_t>(precision), '0');
  return digits + shown[power] + std::to_string(exponent);
}

// The value as the conversion says; false when they do not go together.
inline bool Convert(const Conversion& c, const Value& a, std::string& out) {
  std::string shown;
  if (c.type == 's' || c.type == 'S') {
    shown = ToText(a);
    if (c.precision >= 0 && shown.size() > static_cast<size_t>(c.precision))
      shown.resize(static_cast<size_t>(c.precision));
  } else if (a.tag() == Tag::kInt && std::string_view("dxXo").find(c.type) != std::string_view::npos) {
    bool negative = a.integer() < 0;
    uint64_t size = negative ? uint64_t{0} - static_cast<uint64_t>(a.integer()) : static_cast<uint64_t>(a.integer());
    shown = Signed(Digits(size, c.type == 'd' ? 10 : (c.type == 'o' ? 8 : 16)), negative, c);
  } else if (a.tag() == Tag::kFloat && std::string_view("eEfgGaA").find(c.type) != std::string_view::npos) {
    char format[16];
    char buffer[700];
    double size = std::fabs(a.real());
    std::snprintf(format, sizeof format, "%%%s.%d%c", c.type == 'g' || c.type == 'G' ? "#" : "",
                  c.precision < 0 ? 6 : c.precision, c.type);
    std::snprintf(buffer, sizeof buffer, format, size);
    std::string digits = buffer;
    if (std::isfinite(size) && (c.type == 'a' || c.type == 'A')) {
      digits = HexFloat(size, c.precision, c.type);
    } else if (std::isfinite(size) && c.type != 'g' && c.type != 'G') {
      digits = HalfUp(size, c.precision < 0 ? 6 : c.precision, c.type);
    }
    shown = std::isfinite(size) ? Signed(digits, std::signbit(a.real()), c) : ToText(a);
  } else {
    return false;
  }
  if (c.type == 'S' || c.type == 'X') {
    for (char& letter : shown) letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
  }
  auto width = static_cast<size_t>(c.width);
  size_t padding = shown.size() < width ? width - shown.size() : 0;
  out += c.left ? shown + std::string(padding, ' ') : std::string(padding, ' ') + shown;
  return true;
}

// String.format(format, value): text around conversions; every conversion shows the value.
inline Value FormatString(Value format, Value a) {
  const std::string& text = format.text();
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '%') {
      out += text[at++];
      continue;
    }
    Conversion c;
    bool good = ReadConversion(text, ++at, c);
    if (good && (c.type == '%' || c.type == 'n')) {
      out += c.type == '%' ? '%' : '\n';
    } else if (!good || !Convert(c, a, out)) {
      return Value::Error("The format `" + text + "` does not fit the value " + ToText(a));
    }
  }
  return Value::String(out);
}
// One piece of f"...": the elaborator has checked the conversion against the type.
inline Value Format(Value a, Value spec) { return FormatString(std::move(spec), std::move(a)); }

inline Value Fail(Value message) { return Value::Error(message.text()); }

inline Value IsSome(Value a) { return Value::Bool(a.tag() == Tag::kSome); }
inline Value IsNone(Value a) { return Value::Bool(a.tag() == Tag::kNone); }
inline Value GetSome(Value a) {
  if (a.tag() == Tag::kNone) return Value::Error("Tried get on None.");
  return a.array()->items()[0];
}

inline Value SetAdd(Value s, Value e) { return Value::Tree(Tag::kSet, InsertKey(s.TakeTree(), std::move(e), Value())); }
inline Value SetContains(Value s, Value e) { return Value::Bool(FindKey(s.tree(), e) != nullptr); }
inline Value SetRemove(Value s, Value e) { return Value::Tree(Tag::kSet, EraseKey(s.TakeTree(), e)); }
inline Value Size(Value s) { return Value::Int(TreeSize(s.tree())); }
inline Value SetUnion(Value a, Value b) { return Value::Tree(Tag::kSet, UnionTrees(a.TakeTree(), b.TakeTree())); }
inline Value SetIntersection(Value a, Value b) {
  return Value::Tree(Tag::kSet, IntersectTrees(a.TakeTree(), b.TakeTree()));
}
inline Value SetMinus(Value a, Value b) { return Value::Tree(Tag::kSet, MinusTrees(a.TakeTree(), b.TakeTree())); }

inline Value MapAdd(Value m, Value k, Value v) {
  return Value::Tree(Tag::kMap, InsertKey(m.TakeTree(), std::move(k), std::move(v)));
}
inline Value MapContains(Value m, Value k) { return Value::Bool(FindKey(m.tree(), k) != nullptr); }
inline Value MapGet(Value m, Value k) {
  TreeNode* node = FindKey(m.tree(), k);
  return node == nullptr ? Value::Error("No such element.") : node->value;
}
inline Value MapRemove(Value m, Value k) { return Value::Tree(Tag::kMap, EraseKey(m.TakeTree(), k)); }
inline Value MapKeys(Value m) {
  TreeNode* keys = nullptr;
  ForEachNode(m.tree(), [&](TreeNode* node) { keys = Join(keys, NewNode(node->key, Value()), nullptr); });
  return Value::Tree(Tag::kSet, keys);
}

inline Value ListAppend(Value l, Value e) {
  return Value::Tree(Tag::kList, Join(l.TakeTree(), NewNode(std::move(e), Value()), nullptr));
}
inline Value ListPrepend(Value e, Value l) {
  return Value::Tree(Tag::kList, Join(nullptr, NewNode(std::move(e), Value()), l.TakeTree()));
}
inline bool InBounds(const Value& l, const Value& i) {
  return i.integer() >= 0 && i.integer() < static_cast<int64_t>(TreeSize(l.tree()));
}
inline Value ListGet(Value l, Value i) {
  if (!InBounds(l, i)) return Value::Error("Index out of bounds.");
  return FindIndex(l.tree(), static_cast<uint32_t>(i.integer()))->key;
}
inline Value ListSet(Value l, Value i, Value e) {
  if (!InBounds(l, i)) return Value::Error("Index out of bounds.");
  return Value::Tree(Tag::kList, SetIndex(l.TakeTree(), static_cast<uint32_t>(i.integer()), std::move(e)));
}
inline Value ListTail(Value l) {
  if (l.tree() == nullptr) return Value::Error("Tail unsupported for empty list.");
  return Value::Tree(Tag::kList, DropFirst(l.TakeTree()));
}
inline Value ListInit(Value l) {
  if (l.tree() == nullptr) return Value::Error("Init unsupported for empty list.");
  return Value::Tree(Tag::kList, DropLast(l.TakeTree()));
}
inline Value ListConcat(Value a, Value b) { return Value::Tree(Tag::kList, Join2(a.TakeTree(), b.TakeTree())); }

// NOLINTEND(performance-unnecessary-value-param)

}  // namespace primitive

// An error that has no place yet gets this one.
inline void Locate(Value& value, std::string_view place) {
  if (!value.is_error() || place.empty() || value.text().find(Value::kPlaceMark) != std::string::npos) return;
  std::string text(value.text());
  text += Value::kPlaceMark;
  text += place;
  value = Value::Error(text);
}

// The table of primitives: enumerator, name in extern("..."), operand count, function above.
#define HEDDLE_STREAM_PRIMITIVES(X)                           \
  X(kAdd, "add", 2, Add)                                      \
  X(kSub, "sub", 2, Sub)                                      \
  X(kMul, "mul", 2, Mul)                                      \
  X(kDiv, "div", 2, Div)                                      \
  X(kMod, "mod", 2, Mod)                                      \
  X(kNeg, "neg", 1, Neg)                                      \
  X(kBitAnd, "bitand", 2, BitAnd)                             \
  X(kBitOr, "bitor", 2, BitOr)                                \
  X(kBitXor, "bitxor", 2, BitXor)                             \
  X(kBitFlip, "bitflip", 1, BitFlip)                          \
  X(kShiftLeft, "leftshift", 2, ShiftLeft)                    \
  X(kShiftRight, "rightshift", 2, ShiftRight)                 \
  X(kLt, "lt", 2, Lt)                                         \
  X(kGt, "gt", 2, Gt)                                         \
  X(kLeq, "leq", 2, Leq)                                      \
  X(kGeq, "geq", 2, Geq)                                      \
  X(kEq, "eq", 2, Eq)                                         \
  X(kNeq, "neq", 2, Neq)                                      \
  X(kNot, "not", 1, Not)                                      \
  X(kFAdd, "fadd", 2, FAdd)                                   \
  X(kFSub, "fsub", 2, FSub)                                   \
  X(kFMul, "fmul", 2, FMul)                                   \
  X(kFDiv, "fdiv", 2, FDiv)                                   \
  X(kFNeg, "fneg", 1, FNeg)                                   \
  X(kFLt, "flt", 2, FLt)                                      \
  X(kFGt, "fgt", 2, FGt)                                      \
  X(kFLeq, "fleq", 2, FLeq)                                   \
  X(kFGeq, "fgeq", 2, FGeq)                                   \
  X(kPow, "pow", 2, Pow)                                      \
  X(kLog, "log", 2, Log)                                      \
  X(kSin, "sin", 1, Sin)                                      \
  X(kCos, "cos", 1, Cos)                                      \
  X(kTan, "tan", 1, Tan)                                      \
  X(kAtan, "atan", 1, Atan)                                   \
  X(kIntToFloat, "intToFloat", 1, IntToFloat)                 \
  X(kFloatToInt, "floatToInt", 1, FloatToInt)                 \
  X(kConcat, "String_concat", 2, Concat)                      \
  X(kToString, "toString", 1, ToString)                       \
  X(kStringLength, "String_length", 1, StringLength)          \
  X(kFormat, "format", 2, Format)                             \
  X(kFormatString, "String_format", 2, FormatString)          \
  X(kFail, "error", 1, Fail)                                  \
  X(kIsSome, "isSome", 1, IsSome)                             \
  X(kIsNone, "isNone", 1, IsNone)                             \
  X(kGetSome, "getSome", 1, GetSome)                          \
  X(kSetAdd, "Set_add", 2, SetAdd)                            \
  X(kSetContains, "Set_contains", 2, SetContains)             \
  X(kSetRemove, "Set_remove", 2, SetRemove)                   \
  X(kSetSize, "Set_size", 1, Size)                            \
  X(kSetUnion, "Set_union", 2, SetUnion)                      \
  X(kSetIntersection, "Set_intersection", 2, SetIntersection) \
  X(kSetMinus, "Set_minus", 2, SetMinus)                      \
  X(kMapAdd, "Map_add", 3, MapAdd)                            \
  X(kMapContains, "Map_contains", 2, MapContains)             \
  X(kMapGet, "Map_get", 2, MapGet)                            \
  X(kMapRemove, "Map_remove", 2, MapRemove)                   \
  X(kMapSize, "Map_size", 1, Size)                            \
  X(kMapKeys, "Map_keys", 1, MapKeys)                         \
  X(kListAppend, "List_append", 2, ListAppend)                \
  X(kListPrepend, "List_prepend", 2, ListPrepend)             \
  X(kListGet, "List_get", 2, ListGet)                         \
  X(kListSet, "List_set", 3, ListSet)                         \
  X(kListSize, "List_size", 1, Size)                          \
  X(kListTail, "List_tail", 1, ListTail)                      \
  X(kListInit, "List_init", 1, ListInit)                      \
  X(kListConcat, "List_concat", 2, ListConcat)

// The first operand that is an error wins.
template <typename F>
inline Value Strict(F f, Value a) {
  if (a.is_error()) return a;
  return f(std::move(a));
}
template <typename F>
inline Value Strict(F f, Value a, Value b) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  return f(std::move(a), std::move(b));
}
template <typename F>
inline Value Strict(F f, Value a, Value b, Value c) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  if (c.is_error()) return c;
  return f(std::move(a), std::move(b), std::move(c));
}

}  // namespace heddle::stream
