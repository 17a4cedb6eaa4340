// The names of a trace's threads, code and memory, as findings show them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "findings/finding.h"
#include "symbolize/source_lines.h"
#include "symbolize/symbolizer.h"
#include "trace/reader.h"

namespace heddle::predict {

class TraceNames {
 public:
  // The reader must outlive it; its info and stacks are asked when names are, so the trace may still be read on.
  explicit TraceNames(const trace::TraceReader* reader);

  Stack StackOf(uint64_t pc, uint32_t stack);
  std::string ThreadId(uint32_t thread) const { return reader_->info().ThreadId(thread); }
  std::string ThreadName(uint32_t thread);
  // A lock: the global's name, else "lock 1", "lock 2" in the order of asking.
  std::string LockName(uint64_t address);
  // The variable at an address, empty when it is not a global.
  std::string GlobalName(uint64_t address, uint64_t bytes);
  std::optional<symbolize::Variable> Global(uint64_t address, uint64_t bytes);
  // The text of the line at the top of a stack.
  std::string SourceText(const Stack& stack);

 private:
  const trace::TraceReader* reader_;
  symbolize::Symbolizer symbolizer_;
  symbolize::SourceLines lines_;
  std::map<uint64_t, std::string> locks_;
};

}  // namespace heddle::predict
