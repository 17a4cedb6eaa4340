// Random programs for the tests of searches, and a name for what an execution of one is equivalent to.
#pragma once

#include <string>

#include "explore/model_program.h"

namespace heddle::explore {

// Threads, 3 to 5, of loads, stores, exchanges, compare-and-swaps, loops that wait for a value, locks (some never given
// back), attempts at them, semaphores, condition variables, waits with a limit, futexes, barriers and once routines.
ModelProgram RandomProgram(uint32_t seed);
// The same with updates and arrivals whose results nobody looks at.
ModelProgram RandomBlindProgram(uint32_t seed);
std::string Text(const ModelProgram& program);

// The same for equivalent executions, and only for those. Shares no code with the searches.
std::string ClassOf(const Execution& execution);

}  // namespace heddle::explore
