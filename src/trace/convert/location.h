// Where code is, for exporters. Symbolizing proper is the business of src/symbolize; the command line joins the two.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "trace/info.h"

namespace heddle::trace {

struct Location {
  std::string function;  // or module+0xoffset when nothing better is known; empty for pc 0
  std::string file;
  int64_t line = 0;  // 0: unknown
  int64_t column = 0;
};

using Locator = std::function<Location(uint64_t pc)>;

// Names code by module and offset, and the places of imported texts by file and line. `info` must outlive it.
Locator ModuleLocator(const TraceInfo* info);

// Text formats have location numbers where a recorded trace has code addresses. They become addresses of a module of
// their own, so that both look alike to everything else: kLocationBase plus the number's 32 bits.
inline constexpr uint64_t kLocationBase = uint64_t{1} << 32U;
inline constexpr std::string_view kLocationBuildId = "location";
inline constexpr uint64_t PcOfLocation(int32_t location) { return kLocationBase + static_cast<uint32_t>(location); }
std::optional<int32_t> LocationOfPc(const TraceInfo& info, uint64_t pc);
// The module that makes PcOfLocation's addresses known.
Module LocationModule(const std::string& file_name);

}  // namespace heddle::trace
