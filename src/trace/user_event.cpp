#include "trace/user_event.h"

#include <algorithm>

namespace heddle::trace {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsName(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLetter(c) || IsDigit(c) || c == '_'; });
}

std::optional<UserField> FieldOf(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text[0] == '#' || text[0] == '*') return UserField{UserField::Kind::kCaptured, std::string(text)};
  if (std::all_of(text.begin(), text.end(), IsDigit)) return UserField{UserField::Kind::kNumber, std::string(text)};
  if (IsName(text)) return UserField{UserField::Kind::kWord, std::string(text)};
  return std::nullopt;
}

}  // namespace

std::optional<UserShape> ShapeOfUserEvent(std::string_view text) {
  UserShape shape;
  size_t open = text.find('(');
  shape.name = text.substr(0, open);
  if (!IsName(shape.name)) return std::nullopt;
  if (open == std::string_view::npos) {
    shape.fields.push_back({UserField::Kind::kCaptured, "#value"});
    return shape;
  }
  if (text.back() != ')') return std::nullopt;
  std::string_view list = text.substr(open + 1, text.size() - open - 2);
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    std::optional<UserField> field = FieldOf(list.substr(0, comma));
    if (!field) return std::nullopt;
    shape.fields.push_back(std::move(*field));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return shape;
}

}  // namespace heddle::trace
