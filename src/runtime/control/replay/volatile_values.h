// What volatile loads gave in a recorded run. Their place among the steps is in the schedule, but who writes the
// variable may do so by a plain store, which has none: nginx's thread pool ends that way. So the value is kept too.
//
// Record: a load whose value is not the one that the thread last had from that address (a few addresses each) is an
// entry of the thread: the value, and how many loads came since the thread's last such entry. A loop that looks at a
// flag is one entry, however long it runs. Play: every load gives the recorded value. Where the recording has a new
// one that is not in memory yet, the writer is only late, since it stored it behind one of the steps before: it is
// awaited first, so that its store does not come behind what the loading thread does next.
#pragma once

#include <cstdint>

namespace heddle::rt::control {

struct ControlThread;

inline constexpr uint32_t kVolatilesKnown = 8;
// A thread's own: values that it had, by address. What they are follows from the recording alone.
struct VolatileLooks {
  struct Look {
    uint64_t at = 0;
    uint64_t value = 0;
  };
  Look known[kVolatilesKnown];
  int32_t since = 0;  // loads since the last entry
};

// The calling thread has loaded `value` in its turn; the value to go on with.
uint64_t VolatileLoaded(ControlThread* self, const volatile void* at, uint64_t bytes, uint64_t value);

}  // namespace heddle::rt::control
