// Internal: where the threads of a GPU test go in the launch, and what all GPU harnesses share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

struct Place {
  int group = 0;  // of the launch
  int lane = 0;   // warp or work-item of its group
};

struct GpuPlacement {
  std::vector<Place> threads;
  int groups = 0;
  int lanes = 0;  // in each group
};

// kUnsupported: threads on several devices, shared memory that is not within one group, aliases.
Result<GpuPlacement> PlaceThreads(const Test& test);
bool InGroupMemory(const Cell& cell);  // shared (CUDA) or local (OpenCL)
// The group whose memory a cell is in.
int GroupOf(const Test& test, const GpuPlacement& placement, size_t cell);

// Host code: counts the outcomes of a round and prints them.
extern const char* const kGpuCounting;

// Puts `by` in the place of every `word` of the text.
void ReplaceWord(std::string& text, const std::string& word, const std::string& by);

}  // namespace heddle::litmus
