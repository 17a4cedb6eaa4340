// Where the threads and locations of a generated test lie: scope trees and memory maps (Poetzl's thesis, 2.3.1).
#pragma once

#include <string>
#include <vector>

#include "litmus/gen/cycle.h"

namespace heddle::litmus {

struct Placement {
  std::vector<int> groups;   // the CTA or work-group of each thread; each thread has a warp of its own
  std::vector<int> kernels;  // GPU_PTX: the kernel of each thread
  std::vector<bool> shared;  // GPU_PTX: whether each location is in the shared memory of a CTA
  std::string name;          // for the name of the test: AB, AB+01 with two kernels, AA+sg with a shared location
};

// All placements that fit the edges of the cycle, each once up to renaming and turning of the cycle. For languages
// without scopes there is one, without a name.
std::vector<Placement> Placements(Arch arch, const Cycle& cycle);

// Every thread in a CTA or work-group of its own, of one kernel.
Placement Apart(const Cycle& cycle);

}  // namespace heddle::litmus
