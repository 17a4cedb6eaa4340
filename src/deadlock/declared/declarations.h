// What the program's thread-safety attributes say (GUARDED_BY, REQUIRES, ACQUIRED_BEFORE, ...), read from the
// annotations that `heddle cc --bitcode` makes of them (wire/declared_locks.h).
//
// A lock is named as the attribute does: a member of the same structure, a member behind a parameter (p->m) or `this`,
// a global variable, or a member of one. What is named otherwise, or lies behind a pointer, is not understood: it is
// counted and not checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace llvm {
class Instruction;
class Module;
}  // namespace llvm

namespace heddle::deadlock {

struct DeclaredLock {
  std::string text;     // as it was written
  std::string global;   // the variable that it is, or is in; empty: as below
  int argument = -1;    // of a function: behind this one; else from the annotated member
  int64_t offset = 0;   // of the lock there
  int64_t bytes = 0;    // that it has
  bool shared = false;  // held for reading is enough
};

// Globals and functions by the names that they have in the module.
struct Declarations {
  std::map<std::string, std::vector<DeclaredLock>> guarded;   // variables
  std::vector<DeclaredLock> members;                          // see GuardOf
  std::map<std::string, std::vector<DeclaredLock>> required;  // functions
  std::vector<std::pair<DeclaredLock, DeclaredLock>> order;   // the first before the second; globals only
  size_t not_understood = 0;

  bool empty() const { return guarded.empty() && members.empty() && required.empty() && order.empty(); }
};

// Takes the annotations out of the module: they would hide what is done to the memory. Accesses to annotated members
// keep a mark. Before anything else looks at the module.
Declarations TakeDeclarations(llvm::Module& module);

// The lock of the member that the load or store accesses, with the offset from the accessed address; null: it has none.
struct MemberGuard {
  const DeclaredLock* lock = nullptr;
  int64_t distance = 0;
};
MemberGuard GuardOf(const llvm::Instruction& access, const Declarations& declarations);

}  // namespace heddle::deadlock
