#include "detect/names.h"

#include <fmt/format.h>

namespace heddle::detect {
namespace {

std::vector<symbolize::Module> Modules(const trace::TraceInfo& info) {
  std::vector<symbolize::Module> modules;
  for (const trace::Module& module : info.modules) {
    modules.push_back({module.path, module.base, module.build_id, {{module.begin, module.end}}});
  }
  return modules;
}

}  // namespace

Names::Names(const FindingsFile& file) : file_(file), symbolizer_(Modules(file.info)) {}

// All are return addresses of the compiler's calls.
Stack Names::StackOf(const std::vector<uint64_t>& addresses) {
  Stack frames;
  for (uint64_t address : addresses) {
    const Stack& here = symbolizer_.Frames(address, symbolize::AddressKind::kReturn);
    frames.insert(frames.end(), here.begin(), here.end());
  }
  return frames;
}

findings::ThreadInfo Names::Thread(uint32_t thread) {
  findings::ThreadInfo info;
  info.id = ThreadId(thread);
  auto known = file_.info.threads.find(thread);
  if (known != file_.info.threads.end()) {
    info.name = known->second.name;
    if (info.name.empty() && known->second.start_pc != 0) {
      info.name = symbolizer_.Frames(known->second.start_pc).back().function;
    }
  }
  if (info.name.empty() && thread == 0) info.name = "main";
  auto parent = file_.parents.find(thread);
  if (parent != file_.parents.end()) info.parent = ThreadId(parent->second);
  auto stack = file_.creation_stacks.find(thread);
  if (stack != file_.creation_stacks.end()) info.creation_stack = StackOf(stack->second);
  return info;
}

std::string Names::LockName(uint64_t address) {
  std::string& name = locks_[address];
  if (!name.empty()) return name;
  auto variable = symbolizer_.Global(address, 1);
  // The member inside the lock itself says nothing.
  if (variable) name = variable->offset == 0 ? variable->name : variable->name + variable->member;
  if (name.empty()) name = fmt::format("lock {}", locks_.size());
  return name;
}

std::vector<std::string> Names::LockNames(const std::vector<Held>& locks) {
  std::vector<std::string> names;
  for (const Held& held : locks) names.push_back(LockName(held.lock) + (held.shared ? " (shared)" : ""));
  return names;
}

std::optional<symbolize::Variable> Names::Global(uint64_t address, uint64_t bytes) {
  return symbolizer_.Global(address, bytes);
}

std::string Names::SourceText(const Stack& stack) {
  const Frame* frame = UserFrame(stack);
  return frame == nullptr || frame->file.empty() ? "" : lines_.Line(frame->file, frame->line);
}

}  // namespace heddle::detect
