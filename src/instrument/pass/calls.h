// The calls that the ThreadSanitizer pass emits for plain accesses, as the plugin sees them.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace heddle::instrument {

// An access that the runtime's table knows by size: read or write of 1, 2, 4, 8 or 16 bytes.
struct SizedAccess {
  unsigned bytes = 0;  // 0: not one
  bool write = false;
  bool aligned = false;
};
SizedAccess AsSizedAccess(llvm::StringRef callee);

// Plain accesses, function entry and exit, and marks: what an unwatched program does without. Atomics and memory
// functions do their work in the runtime and are not among them.
bool IsWatched(llvm::StringRef callee);

llvm::SmallVector<llvm::CallInst*, 64> WatchedCalls(llvm::iterator_range<llvm::Function::iterator> blocks);

}  // namespace heddle::instrument
