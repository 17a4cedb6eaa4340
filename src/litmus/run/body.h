// Internal: the code of one thread for the harness, from the instructions of the test.
#pragma once

#include <string>

#include "base/result.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

struct BodyText {
  std::string code;       // statements over the variables r0.. of the registers and the pointers p0.. of the cells
  std::string registers;  // declarations
};

// X86_64 and X86: every access is one instruction of inline assembly, in order. C: the calls of <stdatomic.h>.
Result<BodyText> WriteBody(const Test& test, const Thread& thread);

}  // namespace heddle::litmus
