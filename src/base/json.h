// A small JSON writer: correct escaping, stable order, no tree in memory. (Reading is nlohmann-json's job.)
//
//   JsonWriter json;
//   json.BeginObject().Key("name").String("x").Key("n").Int(3).EndObject();
//   json.text()  ->  {"name": "x", "n": 3}, indented by two spaces
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

class JsonWriter {
 public:
  // Compact writes everything on one line, for JSON lines.
  enum class Style { kPretty, kCompact };
  explicit JsonWriter(Style style = Style::kPretty) : style_(style) {}

  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view key);
  JsonWriter& String(std::string_view value);
  JsonWriter& Int(int64_t value);
  JsonWriter& Uint(uint64_t value);
  JsonWriter& Double(double value);  // NaN and infinities, which JSON lacks, become null
  JsonWriter& Bool(bool value);
  JsonWriter& Null();

  // The document so far; complete once every Begin has its End.
  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  JsonWriter& Raw(std::string_view token);
  void Separate();
  void NewLine();
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);

  Style style_;
  std::string out_;
  std::vector<bool> has_items_;  // one for each open bracket
  bool after_key_ = false;
};

// `text` in quotes, escaped; bytes that are not UTF-8 become U+FFFD.
std::string JsonQuote(std::string_view text);

}  // namespace heddle
