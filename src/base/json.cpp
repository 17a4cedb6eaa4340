#include "base/json.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `text`, or 0.
size_t Utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  auto continues = [&](size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  unsigned c = byte(0);
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c <= 0xDF) return continues(1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    if (c == 0xE0 && byte(1) < 0xA0) return 0;
    if (c == 0xED && byte(1) > 0x9F) return 0;  // surrogates
    return continues(1) && continues(2) ? 3 : 0;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    if (c == 0xF0 && byte(1) < 0x90) return 0;
    if (c == 0xF4 && byte(1) > 0x8F) return 0;
    return continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string JsonQuote(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    size_t length = Utf8Length(text.substr(i));
    if (length == 0) {
      out += "\\ufffd";
      ++i;
    } else if (length > 1) {
      out += text.substr(i, length);
      i += length;
    } else {
      switch (c) {
        case '"':
          out += "\\\"";
          break;
        case '\\':
          out += "\\\\";
          break;
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        default:
          if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
          } else {
            out += c;
          }
      }
      ++i;
    }
  }
  out += '"';
  return out;
}

void JsonWriter::NewLine() {
  if (style_ == Style::kCompact) return;
  out_ += '\n';
  out_.append(has_items_.size() * 2, ' ');
}

void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  NewLine();
}

JsonWriter& JsonWriter::Raw(std::string_view token) {
  Separate();
  out_ += token;
  return *this;
}

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  has_items_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  bool had_items = has_items_.back();
  has_items_.pop_back();
  if (had_items) NewLine();
  out_ += bracket;
  if (has_items_.empty() && style_ == Style::kPretty) out_ += '\n';
  return *this;
}

JsonWriter& JsonWriter::BeginObject() { return Open('{'); }
JsonWriter& JsonWriter::EndObject() { return Close('}'); }
JsonWriter& JsonWriter::BeginArray() { return Open('['); }
JsonWriter& JsonWriter::EndArray() { return Close(']'); }

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  out_ += JsonQuote(key);
  out_ += style_ == Style::kCompact ? ":" : ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view value) { return Raw(JsonQuote(value)); }
JsonWriter& JsonWriter::Int(int64_t value) { return Raw(fmt::format("{}", value)); }
JsonWriter& JsonWriter::Uint(uint64_t value) { return Raw(fmt::format("{}", value)); }
JsonWriter& JsonWriter::Double(double value) {
  return std::isfinite(value) ? Raw(fmt::format("{}", value)) : Raw("null");
}
JsonWriter& JsonWriter::Bool(bool value) { return Raw(value ? "true" : "false"); }
JsonWriter& JsonWriter::Null() { return Raw("null"); }

}  // namespace heddle
