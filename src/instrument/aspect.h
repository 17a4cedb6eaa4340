// Aspect files: which events of a program's own go into its traces, and where (docs/properties.md; figure 6.3 and
// table 6.1 of "Predicting Errors in Concurrent Systems").
//
//   open(#return) after call open_file        one order in a line; // begins a comment
//   access(#0) before call write_file
//   x(store) before write-global x
//
// `heddle cc --aspect` reads them and hands them to the pass plugin (WeaveText), which weaves a call for each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle::instrument {

enum class Where : uint8_t { kBefore, kAfter };
enum class JoinPoint : uint8_t { kCall, kBody, kReadGlobal, kWriteGlobal, kLine };
enum class FieldKind : uint8_t { kWord, kNumber, kArgument, kReturn, kSize, kAddress, kValue };

struct AspectField {
  FieldKind kind = FieldKind::kWord;
  uint32_t index = 0;  // of an argument
  uint32_t stars = 0;  // how often it is dereferenced
  std::string text;    // without the stars: a word, a number, or `#...`

  // Its value is only known when the event happens.
  bool IsCaptured() const { return kind != FieldKind::kWord && kind != FieldKind::kNumber; }
};

struct AspectOrder {
  std::string event;
  std::vector<AspectField> fields;
  Where where = Where::kBefore;
  JoinPoint what = JoinPoint::kCall;
  std::string target;  // a function, a global variable, or FILE:LINE
};

inline constexpr size_t kMaxAspectFields = 16;

// All orders of a text, or every mistake in it, rendered with the lines.
Result<std::vector<AspectOrder>> ParseAspects(const std::string& name, const std::string& text);

// "open(#return)": how the trace describes the event; always with parentheses.
std::string EventText(const AspectOrder& order);

// The aspect file again; ParseAspects reads the same orders from it.
std::string PrintAspects(const std::vector<AspectOrder>& orders);

// What the plugin gets: lines of `where what TAB target TAB event text TAB captured fields, by comma`.
std::string WeaveText(const std::vector<AspectOrder>& orders);

}  // namespace heddle::instrument
