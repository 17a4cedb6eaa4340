// Which operations of a run are scheduling points: a level, and single plain accesses besides it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "wire/control_words.h"

namespace heddle::analysis {

struct Visibility {
  wire::Visible level = wire::Visible::kAtomics;
  // Code addresses of accesses, or ranges FIRST-LAST of them, hexadecimal, with commas; only beside atomics.
  std::string places;

  bool operator==(const Visibility&) const = default;

  // As the runtime and schedules have it: atomics, or atomics@ADDRESS,FIRST-LAST.
  std::string Text() const { return wire::WordOf(level) + (places.empty() ? "" : "@" + places); }

  static std::optional<Visibility> FromText(std::string_view text) {
    Visibility visible;
    size_t at = text.find('@');
    if (!wire::FromWord(text.substr(0, at), &visible.level)) return std::nullopt;
    if (at != std::string_view::npos) visible.places = text.substr(at + 1);
    bool possible = visible.places.empty() ? at == std::string_view::npos : visible.level == wire::Visible::kAtomics;
    return possible ? std::optional(visible) : std::nullopt;
  }

  static Visibility At(const std::set<uint64_t>& places) {
    Visibility visible;
    for (uint64_t place : places) visible.places += fmt::format("{}{:x}", visible.places.empty() ? "" : ",", place);
    return visible;
  }

  // The accesses whose calls lie in `ranges` of code, which have `begin` and `end`; at most `most` of them.
  template <typename Ranges>
  static Visibility In(const Ranges& ranges, size_t most) {
    Visibility visible;
    for (const auto& range : ranges) {
      if (most-- == 0) break;
      // A return address lies behind its call.
      visible.places += fmt::format("{}{:x}-{:x}", visible.places.empty() ? "" : ",", range.begin + 1, range.end);
    }
    return visible;
  }
};

}  // namespace heddle::analysis
