// Writes a cycle as a test of a language.
#pragma once

#include <optional>
#include <string>

#include "litmus/gen/placement.h"

namespace heddle::litmus {

// Nothing when the language has no way to say one of the edges.
std::optional<std::string> EmitTest(Arch arch, const Cycle& cycle, const Placement& placement, const std::string& name);

}  // namespace heddle::litmus
