// Call stacks and sets of held locks as paths in one tree: a node is a value (a code address, a lock) under a parent.
// Equal paths are the same node, so a path is one number. Nodes are never removed; when the tree is full, further paths
// are 0, the empty path. Any thread may call it; inserting takes no lock.
#pragma once

#include <cstdint>

namespace heddle::rt::detect {

inline constexpr uint32_t kDepotBits = 20;
inline constexpr uint32_t kDepotNodes = 1U << kDepotBits;

bool StartDepot();
uint32_t DepotPut(uint32_t parent, uint64_t value);
uint32_t DepotParent(uint32_t node);
uint64_t DepotValue(uint32_t node);

// The values from `node` up to the root, innermost first; how many were written.
uint32_t DepotPath(uint32_t node, uint64_t* out, uint32_t limit);

}  // namespace heddle::rt::detect
