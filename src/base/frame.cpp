#include "base/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace heddle {
namespace {

bool StartsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// /usr/local and /usr/src are where users put their own things.
bool IsSystemSource(std::string_view path) {
  return StartsWith(path, "/usr/") && !StartsWith(path, "/usr/local/") && !StartsWith(path, "/usr/src/");
}

// Programs, /usr/bin for example, are what the user looks at.
bool IsSystemLibrary(std::string_view path) { return StartsWith(path, "/lib") || StartsWith(path, "/usr/lib"); }

}  // namespace

std::string Basename(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool IsLibraryFrame(const Frame& frame) {
  if (StartsWith(Basename(frame.module), "libheddle_rt")) return true;
  if (StartsWith(frame.function, "__tsan_") || StartsWith(frame.function, "__interceptor_")) return true;
  if (!frame.file.empty()) {
    // glibc's own debug info names its sources relative to its build: ./nptl/pthread_create.c, ../sysdeps/...
    if (IsSystemSource(frame.file)) return true;
    return IsSystemLibrary(frame.module) && (StartsWith(frame.file, "./") || StartsWith(frame.file, "../"));
  }
  return IsSystemLibrary(frame.module);
}

const Frame* UserFrame(const Stack& stack) {
  auto own = std::find_if(stack.begin(), stack.end(), [](const Frame& frame) { return !IsLibraryFrame(frame); });
  if (own != stack.end()) return &*own;
  return stack.empty() ? nullptr : stack.data();
}

std::string ShortPlace(const Frame& frame) {
  if (!frame.file.empty()) {
    return frame.line > 0 ? fmt::format("{}:{}", Basename(frame.file), frame.line) : Basename(frame.file);
  }
  if (!frame.module.empty()) return fmt::format("{}+{:#x}", Basename(frame.module), frame.module_offset);
  return "?";
}

}  // namespace heddle
