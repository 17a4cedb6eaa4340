// A brute-force explorer of small programs: interprets bitcode and tries every order of the lock, create and join operations.
//
// It knows integers, pointers, structures, calls and the pthread operations that the programs of base/ use. Memory is exact; threads are
// switched only at visible operations, which is enough for programs whose other accesses are protected by locks.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace llvm {
class Module;
}

namespace heddle::deadlock {

// Threads that wait for each other's locks.
struct Deadlock {
  std::set<std::string> locks;            // variable+offset; empty for memory without a name
  std::set<std::set<unsigned>> waits;     // of each thread, the lines of its stack
  auto operator<=>(const Deadlock&) const = default;
};

struct Exploration {
  bool deadlock = false;    // some schedule ends with threads that wait for ever
  std::set<Deadlock> cycles;  // when all are wanted; not those with a join
  bool complete = true;     // every schedule was tried
  size_t states = 0;
  std::string problem;      // what the interpreter does not know; empty: none
};

// Tries every schedule of `main`, up to `limit` states; stops at the first deadlock unless all are wanted.
Exploration Explore(const llvm::Module& module, size_t limit, bool all = false);

}  // namespace heddle::deadlock
