// Lines of the findings file that say where an access was and what it held.
#pragma once

#include <cstdint>

#include "runtime/output/findings_file.h"

namespace heddle::rt::detect {

// A line `stack pc ...`, innermost first.
void AddStack(FindingsText& text, uint64_t pc, uint32_t node);
// A line `locks address ...` ("s" behind shared ones).
void AddLocks(FindingsText& text, uint32_t node);

}  // namespace heddle::rt::detect
