// The names of user events. Those that an aspect wove into the program list their fields: "open(#return)",
// "x(load,*#1)"; captured ones begin with # or *, and the event has a value for each of them. Those of heddle_event are
// plain names with one value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::trace {

struct UserField {
  enum class Kind { kWord, kNumber, kCaptured };
  Kind kind = Kind::kWord;
  std::string text;
};

struct UserShape {
  std::string name;
  std::vector<UserField> fields;
};

// Nothing for a text that is no such name.
std::optional<UserShape> ShapeOfUserEvent(std::string_view text);

}  // namespace heddle::trace
