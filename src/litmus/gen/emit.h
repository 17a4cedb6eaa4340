// Writes a cycle as a test of a language.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "litmus/gen/cycle.h"

namespace heddle::litmus {

// Which threads are together in a CTA or work-group: a number for each thread.
using Placement = std::vector<int>;
// All placements of this many threads, each once up to renaming. Only {0, 0, ...} for languages without scopes.
std::vector<Placement> Placements(Arch arch, int threads);

// Nothing when the language has no way to say one of the edges.
std::optional<std::string> EmitTest(Arch arch, const Cycle& cycle, const Placement& placement, const std::string& name);

}  // namespace heddle::litmus
