// A node of the pointer analysis; for the files that implement it.
#pragma once

#include <llvm/ADT/SparseBitVector.h>

#include "deadlock/pointers/points_to.h"

namespace heddle::deadlock {

struct PointsTo::Node {
  uint32_t parent = 0;                 // union-find; itself when it is the representative
  llvm::SparseBitVector<> set;         // locations
  llvm::SparseBitVector<> propagated;  // of them, those that all successors have
  llvm::SparseBitVector<> applied;     // of them, those that the complex constraints have seen
  llvm::SparseBitVector<> successors;  // nodes; may name nodes that were merged away
  std::unique_ptr<Complex> complex;
};

}  // namespace heddle::deadlock
