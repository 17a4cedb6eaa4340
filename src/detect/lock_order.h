// Cycles in the order in which locks were taken: a deadlock that some other timing can reach.
//
// A cycle is a sequence of edges, each ending at the lock where the next begins, each by another thread, such that
//   no lock is held by two of them unless both hold it shared (a gate lock keeps them apart),
//   a lock that one waits for and the other holds is not shared on both sides (readers do not wait for readers),
//   no two are ordered by fork, join, semaphores or barriers (the happens-before that no lock causes).
// Locks taken by trylock or with a time limit make no edges to themselves, but count as held.
#pragma once

#include <cstddef>
#include <vector>

#include "detect/findings_file.h"

namespace heddle::detect {

// Indices into `edges`.
using LockCycle = std::vector<size_t>;

struct LockCycles {
  std::vector<LockCycle> cycles;  // one for each set of locks
  bool complete = true;           // false: the search was given up after `kMostSteps`
};

LockCycles FindLockCycles(const std::vector<LockEdge>& edges);

}  // namespace heddle::detect
