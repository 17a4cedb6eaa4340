#include "trace/convert/location.h"

#include <fmt/format.h>

namespace heddle::trace {

Module LocationModule(const std::string& file_name) {
  return {kLocationBase, kLocationBase, kLocationBase * 2, std::string(kLocationBuildId), file_name};
}

std::optional<int32_t> LocationOfPc(const TraceInfo& info, uint64_t pc) {
  if (pc < kLocationBase || pc >= kLocationBase * 2) return std::nullopt;
  const Module* module = info.FindModule(pc);
  if (module == nullptr || module->build_id != kLocationBuildId) return std::nullopt;
  return static_cast<int32_t>(static_cast<uint32_t>(pc - kLocationBase));
}

Locator ModuleLocator(const TraceInfo* info) {
  return [info](uint64_t pc) {
    Location location;
    if (pc == 0) return location;
    if (std::optional<int32_t> line = LocationOfPc(*info, pc)) {
      location.file = info->FindModule(pc)->path;
      location.line = *line;
      return location;
    }
    const Module* module = info->FindModule(pc);
    location.function = module == nullptr ? fmt::format("{:#x}", pc)
                                          : fmt::format("{}+{:#x}", module->path.substr(module->path.rfind('/') + 1),
                                                        pc - module->base);
    return location;
  };
}

}  // namespace heddle::trace
