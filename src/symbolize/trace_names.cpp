#include "symbolize/trace_names.h"

#include <fmt/format.h>

namespace heddle::symbolize {

TraceNames::TraceNames(const trace::EventSource* source)
    : source_(source), symbolizer_({}), by_module_(trace::ModuleLocator(&source->info())) {}

Symbolizer& TraceNames::Current() {
  const std::vector<trace::Module>& all = source_->info().modules;
  for (; modules_ < all.size(); ++modules_) {
    const trace::Module& module = all[modules_];
    if (module.build_id == trace::kLocationBuildId) continue;  // lines of a text, not code
    symbolizer_.AddModule({module.path, module.base, module.build_id, {{module.begin, module.end}}});
  }
  return symbolizer_;
}

// Code addresses in a trace are return addresses of the compiler's calls, so all of them lie behind their instruction.
Stack TraceNames::StackOf(uint64_t pc, uint32_t stack) {
  Stack frames;
  if (pc != 0) frames = Current().Frames(pc, AddressKind::kReturn);
  for (uint64_t call : source_->stacks().Pcs(stack)) {
    const Stack& outer = Current().Frames(call, AddressKind::kReturn);
    frames.insert(frames.end(), outer.begin(), outer.end());
  }
  return frames;
}

std::string TraceNames::ThreadName(uint32_t thread) {
  auto found = source_->info().threads.find(thread);
  if (found == source_->info().threads.end()) return "";
  if (!found->second.name.empty()) return found->second.name;
  if (found->second.start_pc == 0) return thread == 0 ? "main" : "";
  return Current().Frames(found->second.start_pc).back().function;
}

trace::Location TraceNames::LocationOf(uint64_t pc) {
  trace::Location location = by_module_(pc);
  if (pc == 0 || location.line != 0) return location;
  const Stack& frames = Current().Frames(pc, AddressKind::kReturn);
  const Frame* frame = UserFrame(frames);
  if (frame == nullptr) return location;
  if (!frame->function.empty()) location.function = frame->function;
  location.file = frame->file;
  location.line = frame->line;
  location.column = frame->column;
  return location;
}

std::string TraceNames::VariableName(uint64_t address) {
  auto symbol = source_->info().symbols.find(address);
  if (symbol != source_->info().symbols.end()) return symbol->second;
  if (Current().FindModule(address) == nullptr) return "";  // the heap and the stacks are most of memory
  std::optional<Variable> variable = Current().Global(address);
  return variable ? variable->name : "";
}

std::optional<Variable> TraceNames::Global(uint64_t address, uint64_t bytes) {
  return Current().Global(address, bytes);
}

std::string TraceNames::GlobalName(uint64_t address, uint64_t bytes) {
  auto variable = Current().Global(address, bytes);
  return variable ? variable->name + variable->member : "";
}

std::string TraceNames::LockName(uint64_t address) {
  std::string& name = locks_[address];
  if (name.empty()) {
    auto variable = Current().Global(address, 1);
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

}  // namespace heddle::symbolize
