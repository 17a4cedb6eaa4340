#include "instrument/aspect.h"

#include <fmt/format.h>

#include <array>

namespace heddle::instrument {
namespace {

constexpr std::array<std::string_view, 5> kJoinPoints = {"call", "body", "read-global", "write-global", "line"};

std::string FieldText(const AspectField& field) { return std::string(field.stars, '*') + field.text; }

std::string Listed(const std::vector<AspectField>& fields, bool captured_only) {
  std::string text;
  for (const AspectField& field : fields) {
    if (captured_only && !field.IsCaptured()) continue;
    text += (text.empty() ? "" : ",") + FieldText(field);
  }
  return text;
}

std::string_view WhereText(Where where) { return where == Where::kBefore ? "before" : "after"; }

AspectField ReadField(std::string_view text) {
  AspectField field;
  while (!text.empty() && text[0] == '*') {
    ++field.stars;
    text.remove_prefix(1);
  }
  field.text = text;
  if (text.empty()) return field;
  if (text[0] != '#') {
    field.kind = text[0] >= '0' && text[0] <= '9' ? FieldKind::kNumber : FieldKind::kWord;
  } else if (text == "#return") {
    field.kind = FieldKind::kReturn;
  } else if (text == "#size") {
    field.kind = FieldKind::kSize;
  } else if (text == "#address") {
    field.kind = FieldKind::kAddress;
  } else if (text == "#value") {
    field.kind = FieldKind::kValue;
  } else {
    field.kind = FieldKind::kArgument;
    for (char c : text.substr(1)) field.index = field.index * 10 + static_cast<uint32_t>(c - '0');
  }
  return field;
}

}  // namespace

std::string EventText(const AspectOrder& order) { return order.event + "(" + Listed(order.fields, false) + ")"; }

bool ParseEventText(std::string_view text, std::string* event, std::vector<AspectField>* fields) {
  size_t open = text.find('(');
  if (open == std::string_view::npos || open == 0 || text.back() != ')') return false;
  *event = text.substr(0, open);
  fields->clear();
  std::string_view list = text.substr(open + 1, text.size() - open - 2);
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    fields->push_back(ReadField(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return fields->size() <= kMaxAspectFields;
}

std::string PrintAspects(const std::vector<AspectOrder>& orders) {
  std::string text;
  for (const AspectOrder& order : orders) {
    text += fmt::format("{} {} {} {}\n", EventText(order), WhereText(order.where),
                        kJoinPoints[static_cast<size_t>(order.what)], order.target);
  }
  return text;
}

std::string WeaveText(const std::vector<AspectOrder>& orders) {
  std::string text;
  for (const AspectOrder& order : orders) {
    text += fmt::format("{} {}\t{}\t{}\t{}\n", WhereText(order.where), kJoinPoints[static_cast<size_t>(order.what)],
                        order.target, EventText(order), Listed(order.fields, true));
  }
  return text;
}

}  // namespace heddle::instrument
