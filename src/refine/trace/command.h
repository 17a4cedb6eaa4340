// Runs a compiler or linker and waits for it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::refine {

struct CommandResult {
  int code = 0;      // what a shell would call $?
  std::string text;  // standard output and error, the first 64 KiB
};

// An error when the program cannot be started (kNotFound) or takes longer than `seconds` (kLimit; it is killed).
Result<CommandResult> RunCommand(const std::vector<std::string>& command, double seconds = 1800);

// A folder that is removed with everything in it.
class ScratchFolder {
 public:
  static Result<ScratchFolder> Make();
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path);
  std::string path_;
};

}  // namespace heddle::refine
