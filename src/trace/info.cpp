#include "trace/info.h"

#include <fmt/format.h>

#include <charconv>

namespace heddle::trace {
namespace {

std::string_view NextWord(std::string_view* rest) {
  size_t space = rest->find(' ');
  std::string_view word = rest->substr(0, space);
  *rest = space == std::string_view::npos ? std::string_view() : rest->substr(space + 1);
  return word;
}

uint64_t Number(std::string_view text, int base) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

void ParseModule(std::string_view rest, TraceInfo* info) {
  Module module;
  module.base = Number(NextWord(&rest), 16);
  module.begin = Number(NextWord(&rest), 16);
  module.end = Number(NextWord(&rest), 16);
  module.build_id = NextWord(&rest);
  if (module.build_id == "-") module.build_id.clear();
  module.path = rest;
  for (Module& known : info->modules) {
    if (known.begin == module.begin && known.path == module.path) return;
  }
  info->modules.push_back(std::move(module));
}

}  // namespace

void ParseInfoText(std::string_view text, TraceInfo* info) {
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view rest = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    std::string_view word = NextWord(&rest);
    if (word == "module") {
      ParseModule(rest, info);
    } else if (word == "command") {
      info->command = rest;
    } else if (word == "thread") {
      ThreadInfo& thread = info->threads[static_cast<uint32_t>(Number(NextWord(&rest), 10))];
      thread.id = NextWord(&rest);
      thread.start_pc = Number(rest, 16);
    } else if (word == "name") {
      info->threads[static_cast<uint32_t>(Number(NextWord(&rest), 10))].name = rest;
    } else if (word == "string") {
      uint64_t id = Number(NextWord(&rest), 10);
      info->strings[id] = rest;
    } else if (word == "symbol") {
      uint64_t address = Number(NextWord(&rest), 16);
      info->symbols[address] = rest;
    }
  }
}

void WriteInfoText(const TraceInfo& info, const std::function<void(std::string_view)>& line) {
  if (!info.command.empty()) line("command " + info.command);
  for (const Module& module : info.modules) {
    line(fmt::format("module {:x} {:x} {:x} {} {}", module.base, module.begin, module.end,
                     module.build_id.empty() ? "-" : module.build_id, module.path));
  }
  for (const auto& [number, thread] : info.threads) {
    line(fmt::format("thread {} {} {:x}", number, thread.id, thread.start_pc));
    if (!thread.name.empty()) line(fmt::format("name {} {}", number, thread.name));
  }
  for (const auto& [id, text] : info.strings) line(fmt::format("string {} {}", id, text));
  for (const auto& [address, name] : info.symbols) line(fmt::format("symbol {:x} {}", address, name));
}

std::string TraceInfo::ThreadId(uint32_t thread) const {
  auto found = threads.find(thread);
  return found == threads.end() || found->second.id.empty() ? fmt::format("#{}", thread) : found->second.id;
}

const Module* TraceInfo::FindModule(uint64_t address) const {
  for (const Module& module : modules) {
    if (address >= module.begin && address < module.end) return &module;
  }
  return nullptr;
}

}  // namespace heddle::trace
