#include "analysis/target/step_places.h"

#include <fmt/format.h>

#include <filesystem>

namespace heddle::analysis {

void StepPlaces::Use(const trace::TraceInfo& info) {
  std::string layout;
  for (const trace::Module& module : info.modules) {
    layout +=
        fmt::format("{:x} {:x} {:x} {} {}\n", module.base, module.begin, module.end, module.build_id, module.path);
  }
  if (symbolizer_ && layout == layout_) return;
  layout_ = std::move(layout);
  known_.clear();
  std::vector<symbolize::Module> modules;
  for (const trace::Module& module : info.modules) {
    modules.push_back({module.path, module.base, module.build_id, {{module.begin, module.end}}});
  }
  symbolizer_ = std::make_unique<symbolize::Symbolizer>(std::move(modules));
}

const std::string& StepPlaces::Of(uint64_t pc) {
  auto [at, added] = known_.try_emplace(pc);
  if (added && pc != 0) at->second = Describe(pc);
  return at->second;
}

// The innermost frame of the program's own code.
std::string StepPlaces::Describe(uint64_t pc) {
  const Stack& frames = symbolizer_->Frames(pc, symbolize::AddressKind::kReturn);
  for (const Frame& frame : frames) {
    if (frame.file.empty() || frame.file.starts_with("/usr/")) continue;
    std::string file = std::filesystem::path(frame.file).filename().string();
    return fmt::format("{}:{} {}", file, frame.line, frame.function);
  }
  return frames.empty() ? "" : frames[0].function;
}

}  // namespace heddle::analysis
