// Did the compiler keep the accesses of a test? The harness has a mark at the beginning and at the end of each thread;
// what stands between them in the machine code is compared with the accesses and fences of the test, in order and in
// kind.
//
// Read by LLVM's disassembler, for x86-64. Accesses to the stack and to constants are the compiler's own and are left
// out.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

enum class AccessKind { kLoad, kStore, kRmw, kFence };
std::string_view AccessName(AccessKind kind);

// The accesses between the marks of thread `index` in the program `path`.
Result<std::vector<AccessKind>> CompiledAccesses(const std::string& path, size_t thread);
// The accesses that the test has, in program order.
std::vector<AccessKind> WantedAccesses(const Test& test, size_t thread);

// Ok when every thread of the compiled harness has the accesses of the test. kUnsupported: this machine's code cannot
// be read.
Status CheckHarness(const Test& test, const std::string& path);

}  // namespace heddle::litmus
