// Did the compiler keep the accesses of a test? The harness has a mark at the beginning and at the end of each thread,
// marks that say which register points to which location, and after the end a specification instruction for each access
// of the test: its place in program order, its kind and its location, as in section 2.4 of Poetzl's thesis. What stands
// between the marks in the machine code must conform to that specification.
//
// Read by LLVM's disassembler, for x86-64, AArch64, RISC-V and Power. For CUDA see cubin.h.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "litmus/optcheck/classify.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

std::string_view AccessName(AccessKind kind);

// The accesses that the machine code of a thread of the test must have, in order.
std::vector<Access> WantedAccesses(const Test& test, size_t thread, Machine machine);
// The specification instructions for them, one line of assembly each.
std::vector<std::string> SpecificationText(const Test& test, size_t thread, Machine machine);

struct CompiledThread {
  Machine machine = Machine::kX86_64;
  std::vector<Access> specification;  // as the program carries it
  std::vector<Access> found;          // between the marks
};
Result<CompiledThread> ReadCompiledThread(const std::string& path, size_t thread);

// Whether `found` conforms to `wanted`: the same accesses in the same order. `fences`: the program may have more
// fences, as C needs on machines that build its orders from them. An empty text when it does, else what is different.
std::string Difference(const std::vector<Access>& wanted, const std::vector<Access>& found, bool fences);

// Ok when every thread of the compiled harness conforms. kUnsupported: this program cannot be read, or it cannot be
// told.
Status CheckHarness(const Test& test, const std::string& path);

}  // namespace heddle::litmus
