// The names of a trace's threads, code and memory, as findings show them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "symbolize/source_lines.h"
#include "symbolize/symbolizer.h"
#include "trace/convert/location.h"
#include "trace/source.h"

namespace heddle::symbolize {

class TraceNames {
 public:
  // The source must outlive it; its info and stacks are asked when names are, so the trace may still be read on, and
  // modules that it learns of later are used from then on.
  explicit TraceNames(const trace::EventSource* source);

  Stack StackOf(uint64_t pc, uint32_t stack);
  // One place for a code address: the user's own frame where there is one, else module and offset.
  trace::Location LocationOf(uint64_t pc);
  std::string ThreadId(uint32_t thread) const { return source_->info().ThreadId(thread); }
  std::string ThreadName(uint32_t thread);
  // A lock: the global's name, else "lock 1", "lock 2" in the order of asking.
  std::string LockName(uint64_t address);
  // The variable at an address with the part of it, "s.count"; empty when it is not a global.
  std::string GlobalName(uint64_t address, uint64_t bytes);
  std::optional<Variable> Global(uint64_t address, uint64_t bytes);
  // The variable alone, "s", or the name that an imported trace gives the address; empty when there is none.
  std::string VariableName(uint64_t address);
  // The text of the line at the top of a stack.
  std::string SourceText(const Stack& stack);

 private:
  Symbolizer& Current();

  const trace::EventSource* source_;
  size_t modules_ = 0;  // how many of the source's modules the symbolizer has
  Symbolizer symbolizer_;
  trace::Locator by_module_;
  SourceLines lines_;
  std::map<uint64_t, std::string> locks_;
};

}  // namespace heddle::symbolize
