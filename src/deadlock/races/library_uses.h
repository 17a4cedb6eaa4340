// What functions of the C library do to the memory that they are given: which arguments they read and write, and how
// many bytes. The races of calls like read(0, buffer, 64) or scanf("%d", &n) are found by this table. For strings and
// streams of the C++ library, the name of the function says it.
#pragma once

#include <cstdint>
#include <vector>

namespace llvm {
class CallBase;
class Function;
}  // namespace llvm

namespace heddle::deadlock {

struct LibraryAccess {
  unsigned argument = 0;
  int64_t bytes = 0;  // Locations::kUnbounded: not known
  bool writes = false;
};

// Whether the table has the function.
bool KnowsUsesOf(const llvm::Function& external);
// What the call accesses; empty for functions that are not in the table.
std::vector<LibraryAccess> LibraryUses(const llvm::CallBase& call);
// The same for members of strings and streams of the C++ library that have no body in the program, and operators on
// streams. The standard streams (std::cout) are not meant: threads may use them together.
std::vector<LibraryAccess> CxxLibraryUses(const llvm::CallBase& call);

}  // namespace heddle::deadlock
