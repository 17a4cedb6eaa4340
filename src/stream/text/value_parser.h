// Reads a value of a known type from text: 5, -2.5, true, "x", (), None, Some(1), Set(1, 2), Map(1 -> 2), List(), (1,
// 2), {a = 1}. Integers and Booleans may be operations on constants: 2 * (3 + 1), if 1 < 2 then 3 else 4; in a string
// they stand in ${...}.
#pragma once

#include <string>
#include <string_view>

#include "stream/elaborate/types.h"
#include "stream/run/value.h"

namespace heddle::stream {

struct ValueError {
  size_t offset = 0;
  std::string message;
};

class ValueParser {
 public:
  explicit ValueParser(std::string_view text) : text_(text) {}
  // A name that stands for a number: the time, in a range of timestamps.
  void SetVariable(std::string_view name, int64_t value) {
    variable_ = name;
    variable_value_ = value;
  }

  // Reads one value. On failure, error() says what and where.
  bool Parse(const TypeRef& type, Value* value);
  // Only spaces or a comment are left.
  bool AtEnd();
  size_t offset() const { return at_; }
  const ValueError& error() const { return error_; }

 private:
  static constexpr int kMaxDepth = 100;

  void SkipSpaces();
  bool Fail(std::string message);
  bool Accept(std::string_view text);
  bool Expect(std::string_view text);
  bool Operation(int level, Value* value);
  bool Operand(Value* value);
  bool OperandHere(Value* value);
  bool ParseNumber(bool real, Value* value);
  bool ParseString(Value* value);
  bool Interpolate(std::string* out);
  bool ParseCodePoint(std::string* out);
  bool ParseOption(const Type& type, Value* value);
  bool ParseTree(const Type& type, Value* value);
  bool ParseRecord(const Type& type, Value* value);

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string_view variable_;
  int64_t variable_value_ = 0;
  ValueError error_;
};

}  // namespace heddle::stream
