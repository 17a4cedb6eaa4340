// What the pass plugin tells the runtime about results that the program does not use
// (instrument/pass/unused_results.h). Freestanding.
#pragma once

namespace heddle::wire {

// In the memory order of an atomic read-modify-write: nobody looks at what it returns. The order itself has eight bits.
inline constexpr int kResultUnused = 1 << 20;

}  // namespace heddle::wire
