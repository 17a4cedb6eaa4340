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

}  // namespace

std::string EventText(const AspectOrder& order) { return order.event + "(" + Listed(order.fields, false) + ")"; }

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
