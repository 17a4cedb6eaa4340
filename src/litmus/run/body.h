// Internal: the code of one thread for the harness, from the instructions of the test.
#pragma once

#include <string>

#include "base/result.h"
#include "litmus/run/target.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

struct BodyText {
  std::string code;        // statements over the variables r0.. of the registers and the pointers p0.. of the cells
  std::string registers;   // declarations
  bool marked = false;     // the code has its own marks for optcheck
  int accesses = 0;        // CUDA: variables s0.. that link accesses to specification instructions
  std::vector<int> kinds;  // CUDA: of these accesses (AccessKind), and where a fence stands: fences before access i
  std::vector<int> fences;
};

// PTX and GPU_PTX: as for x86, for nvcc. A stored value v is v ^ z<n> with a zero that the compiler does not know, so
// that it is in a register of its own; s<n> is the value that access n read or wrote. X86_64 and X86: every access is
// one instruction of inline assembly, in order. C: the calls of <stdatomic.h>.
Result<BodyText> WriteBody(const Test& test, const Thread& thread);
// AArch64, RISCV and PPC.
Result<BodyText> WriteAssemblyBody(const Test& test, size_t thread, Machine machine);

}  // namespace heddle::litmus
