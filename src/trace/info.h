// What a trace says about the run besides its events: modules, threads, names, and what was damaged.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::trace {

struct Module {
  uint64_t base = 0;  // what to subtract from an address to get the address in the file
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string build_id;  // hexadecimal, empty when there is none
  std::string path;
};

struct ThreadInfo {
  std::string id;         // stable: T0, T2, T2.1; does not depend on timing
  std::string name;       // what pthread_setname_np said, else empty
  uint64_t start_pc = 0;  // the start function; 0 for the main thread
};

struct TraceInfo {
  uint64_t flags = 0;
  uint64_t start_realtime_ns = 0;
  uint32_t pid = 0;
  std::string command;
  std::vector<Module> modules;
  std::map<uint32_t, ThreadInfo> threads;
  std::map<uint64_t, std::string> strings;
  std::unordered_map<uint64_t, std::string> symbols;  // names of objects, in imported traces
  std::vector<std::string> damage;                    // one sentence for each part that could not be read

  // "T2", or "#7" for a thread that the file does not describe.
  std::string ThreadId(uint32_t thread) const;
  const Module* FindModule(uint64_t address) const;
};

// Adds the lines of a text chunk; lines it does not know are passed over, so that old readers read new files.
void ParseInfoText(std::string_view text, TraceInfo* info);

// The lines that ParseInfoText reads back to the same description (flags, times and damage are not in the text). Calls
// `line` with each, without a newline.
void WriteInfoText(const TraceInfo& info, const std::function<void(std::string_view)>& line);

}  // namespace heddle::trace
