// The names of the threads, code and memory in a findings file, as findings show them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/findings_file.h"
#include "findings/finding.h"
#include "symbolize/source_lines.h"
#include "symbolize/symbolizer.h"

namespace heddle::detect {

class Names {
 public:
  // The file must outlive it.
  explicit Names(const FindingsFile& file);

  Stack StackOf(const std::vector<uint64_t>& addresses);
  std::string ThreadId(uint32_t thread) const { return file_.info.ThreadId(thread); }
  findings::ThreadInfo Thread(uint32_t thread);
  // A lock: the global's name, else "lock 1", "lock 2" in the order of asking.
  std::string LockName(uint64_t address);
  std::vector<std::string> LockNames(const std::vector<Held>& locks);
  std::optional<symbolize::Variable> Global(uint64_t address, uint64_t bytes);
  std::string SourceText(const Stack& stack);

 private:
  const FindingsFile& file_;
  symbolize::Symbolizer symbolizer_;
  symbolize::SourceLines lines_;
  std::map<uint64_t, std::string> locks_;
};

}  // namespace heddle::detect
