// Output events as text, CSV or JSON lines. A formatter appends to a string; who prints it is the caller's business.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "stream/run/machine.h"

namespace heddle::stream {

enum class OutputFormat { kText, kCsv, kJsonLines };

class OutputFormatter {
 public:
  virtual ~OutputFormatter() = default;
  virtual void Event(int64_t time, const OutputEvent& event, std::string& out) = 0;
  // After the last event.
  virtual void Finish(std::string& out) { (void)out; }
};

// text:  `5: x = 1`, with strings as literals in the paper's dialect and bare in TeSSLa 1.2, as each tool prints them.
// csv:   a header, then a row for each timestamp with an empty field where a stream has no event.
// json:  {"time":5,"stream":"x","value":1} on each line.
std::unique_ptr<OutputFormatter> MakeFormatter(OutputFormat format, const Program& program);

// A string as a literal of the trace syntax, which escapes as JSON does.
void AppendLiteral(std::string& out, std::string_view text);

// A value in the trace syntax: reads back as the same value.
std::string LiteralText(const Value& value);

// A value as JSON: options are null or the value, sets and lists arrays, maps arrays of pairs, records objects.
void WriteJson(JsonWriter& json, const Value& value);

}  // namespace heddle::stream
