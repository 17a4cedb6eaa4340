// What a violation means, in words: which constraint, what the compiler seems to have done, and the lines.
#pragma once

#include <string>
#include <vector>

#include "refine/check/check.h"

namespace heddle::refine {

struct ExplainedEvent {
  bool transformed = false;        // whose event it is
  std::string what;                // read, write, lock, unlock
  std::string operand;             // the variable or lock
  std::string code;                // "write x = 5"
  uint32_t line = 0;               // 0: unknown
  std::vector<std::string> locks;  // held there, before a lock and after an unlock
};

struct Explanation {
  std::string headline;                // "invented a write to `x`"
  std::string why;                     // why a context may notice
  std::vector<ExplainedEvent> events;  // of both sides, the most telling first
  std::string variable;                // the symbol; empty for locks
  uint32_t offset = 0;
};

// The traces are aligned, as CheckTraces had them.
Explanation Explain(const Trace& original, const Trace& transformed, const Violation& violation);

}  // namespace heddle::refine
