#include "trace/event.h"

#include <array>

namespace heddle::trace {
namespace {

constexpr std::array<std::string_view, kKinds> kNames = {
    "none",
#define HEDDLE_EVENT(name, text, words) text,
    HEDDLE_PLAIN_EVENTS(HEDDLE_EVENT) HEDDLE_ORDERED_EVENTS(HEDDLE_EVENT)
#undef HEDDLE_EVENT
};
constexpr std::array<std::string_view, 6> kOrders = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
constexpr std::array<std::string_view, 4> kOutcomes = {"ok", "busy", "timeout", "error"};
constexpr std::array<std::string_view, 7> kOps = {"exchange", "add", "sub", "and", "or", "xor", "nand"};

template <size_t N>
std::string_view At(const std::array<std::string_view, N>& names, size_t index) {
  return index < N ? names[index] : "?";
}

}  // namespace

std::string_view KindName(Kind kind) { return At(kNames, static_cast<size_t>(kind)); }
std::string_view OrderName(uint8_t order) { return At(kOrders, order); }
std::string_view OutcomeName(uint8_t outcome) { return At(kOutcomes, outcome); }
std::string_view RmwOpName(uint8_t op) { return At(kOps, op); }

Kind KindFromName(std::string_view name) {
  for (size_t i = 1; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Kind>(i);
  }
  return Kind::None;
}

}  // namespace heddle::trace
