// The values that locations can have, and how they come about.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

namespace heddle::litmus {

// Reads by number; those in loops have none, since they read more than once.
constexpr size_t kMostReads = 256;
using Reads = std::bitset<kMostReads>;

// The ways to compute a value: for each the reads that it passes through. Only the smallest sets are kept; when there
// are many, what they have in common stands for all of them.
using Ways = std::vector<Reads>;

// By physical cell: each value with the ways to compute it. A read that all of them pass through cannot get the value:
// it would justify itself.
using Values = std::vector<std::map<int64_t, Ways>>;

// Whether the way is new.
bool AddWay(Ways& ways, const Reads& through);

// What the ways have in common that do not pass through this read (-1: any); false when all do.
bool CommonWay(const Ways& ways, int read, Reads& common);

// Takes over what the threads write; new values only if `fresh`. Whether anything changed.
bool Grow(const Values& next, bool fresh, Values& values);

}  // namespace heddle::litmus
