// Values as text, in the syntax of traces. Self-contained, see value.h.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "stream/run/tree.h"
#include "stream/run/value.h"

namespace heddle::stream {

inline void AppendInt(std::string& out, int64_t value) {
  char buffer[24];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, end.ptr);
}

// Shortest text that reads back as the same double, in the form that Java gives it: 1.0E7 from ten million on.
inline void AppendFloat(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
    return;
  }
  char buffer[400];
  double size = std::fabs(value);
  bool plain = size == 0 || (size >= 1e-3 && size < 1e7);
  auto form = plain ? std::chars_format::fixed : std::chars_format::scientific;
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, form);
  std::string text(buffer, end.ptr);
  if (plain) {
    out += text;
    if (text.find('.') == std::string::npos) out += ".0";
    return;
  }
  size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  if (digits.find('.') == std::string::npos) digits += ".0";
  size_t power = e + (text[e + 1] == '+' ? 2 : 1);
  std::string exponent = text.substr(power);
  bool negative = exponent[0] == '-';
  exponent.erase(0, exponent.find_first_not_of("-0"));
  out += digits + "E" + (negative ? "-" : "") + exponent;
}

// How strings are written; null: as they are (what toString gives). The trace syntax has format.h's AppendLiteral.
using QuoteFunction = void (*)(std::string& out, std::string_view text);

inline void AppendValue(std::string& out, const Value& value, QuoteFunction quote);

inline void AppendTree(std::string& out, const Value& value, const char* name, QuoteFunction quote) {
  out += name;
  out += '(';
  bool first = true;
  ForEachNode(value.tree(), [&](TreeNode* node) {
    if (!first) out += ", ";
    first = false;
    AppendValue(out, node->key, quote);
    if (value.tag() == Tag::kMap) {
      out += " -> ";
      AppendValue(out, node->value, quote);
    }
  });
  out += ')';
}

inline void AppendRecord(std::string& out, const Value& value, QuoteFunction quote) {
  ArrayCell* cell = value.array();
  bool tuple = cell->shape == nullptr || cell->shape->tuple;
  out += tuple ? '(' : '{';
  for (uint32_t i = 0; i < cell->count; ++i) {
    if (i > 0) out += ", ";
    if (!tuple) {
      out += cell->shape->names[i];
      out += " = ";
    }
    AppendValue(out, cell->items()[i], quote);
  }
  if (tuple && cell->count == 1) out += ',';
  out += tuple ? ')' : '}';
}

inline void AppendValue(std::string& out, const Value& value, QuoteFunction quote) {
  switch (value.tag()) {
    case Tag::kInt:
      AppendInt(out, value.integer());
      break;
    case Tag::kBool:
      out += value.boolean() ? "true" : "false";
      break;
    case Tag::kUnit:
      out += "()";
      break;
    case Tag::kFloat:
      AppendFloat(out, value.real());
      break;
    case Tag::kNone:
      out += "None";
      break;
    case Tag::kError:
      out += "error: ";
      out += value.text();
      break;
    case Tag::kString:
      if (quote != nullptr) {
        quote(out, value.text());
      } else {
        out += value.text();
      }
      break;
    case Tag::kSome:
      out += "Some(";
      AppendValue(out, value.array()->items()[0], quote);
      out += ')';
      break;
    case Tag::kRecord:
      AppendRecord(out, value, quote);
      break;
    case Tag::kSet:
      AppendTree(out, value, "Set", quote);
      break;
    case Tag::kMap:
      AppendTree(out, value, "Map", quote);
      break;
    case Tag::kList:
      AppendTree(out, value, "List", quote);
      break;
  }
}

inline std::string ToText(const Value& value, QuoteFunction quote = nullptr) {
  std::string out;
  AppendValue(out, value, quote);
  return out;
}

// The first error inside a value (Some, records and tuples may hold one); null when there is none.
inline const Value* FindError(const Value& value) {
  if (value.tag() == Tag::kError) return &value;
  if (value.tag() == Tag::kSome || value.tag() == Tag::kRecord) {
    for (uint32_t i = 0; i < value.array()->count; ++i) {
      if (const Value* found = FindError(value.array()->items()[i])) return found;
    }
  }
  return nullptr;
}

}  // namespace heddle::stream
