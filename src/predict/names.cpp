#include "predict/names.h"

#include <fmt/format.h>

namespace heddle::predict {
namespace {

std::vector<symbolize::Module> Modules(const trace::TraceInfo& info) {
  std::vector<symbolize::Module> modules;
  for (const trace::Module& module : info.modules) {
    modules.push_back({module.path, module.base, module.build_id, {{module.begin, module.end}}});
  }
  return modules;
}

}  // namespace

TraceNames::TraceNames(const trace::TraceReader* reader) : reader_(reader), symbolizer_(Modules(reader->info())) {}

// Code addresses in a trace are return addresses of the compiler's calls, so all of them lie behind their instruction.
Stack TraceNames::StackOf(uint64_t pc, uint32_t stack) {
  Stack frames;
  if (pc != 0) frames = symbolizer_.Frames(pc, symbolize::AddressKind::kReturn);
  for (uint64_t call : reader_->stacks().Pcs(stack)) {
    const Stack& outer = symbolizer_.Frames(call, symbolize::AddressKind::kReturn);
    frames.insert(frames.end(), outer.begin(), outer.end());
  }
  return frames;
}

std::string TraceNames::ThreadName(uint32_t thread) {
  auto found = reader_->info().threads.find(thread);
  if (found == reader_->info().threads.end()) return "";
  if (!found->second.name.empty()) return found->second.name;
  if (found->second.start_pc == 0) return thread == 0 ? "main" : "";
  return symbolizer_.Frames(found->second.start_pc).back().function;
}

std::optional<symbolize::Variable> TraceNames::Global(uint64_t address, uint64_t bytes) {
  return symbolizer_.Global(address, bytes);
}

std::string TraceNames::GlobalName(uint64_t address, uint64_t bytes) {
  auto variable = symbolizer_.Global(address, bytes);
  return variable ? variable->name + variable->member : "";
}

std::string TraceNames::LockName(uint64_t address) {
  std::string& name = locks_[address];
  if (name.empty()) {
    auto variable = symbolizer_.Global(address, 1);
    // The member inside the lock itself says nothing.
    name = variable && variable->offset == 0 ? variable->name : GlobalName(address, 1);
    if (name.empty()) name = fmt::format("lock {}", locks_.size());
  }
  return name;
}

std::string TraceNames::SourceText(const Stack& stack) {
  const Frame* frame = UserFrame(stack);
  return frame == nullptr || frame->file.empty() ? "" : lines_.Line(frame->file, frame->line);
}

}  // namespace heddle::predict
