// The words for Memory::Where in JSON; the writer and the reader share them.
#pragma once

#include <array>
#include <string_view>

namespace heddle::findings {

inline constexpr std::array<std::string_view, 5> kWhereNames = {"unknown", "global", "heap", "stack", "thread-local"};

}  // namespace heddle::findings
