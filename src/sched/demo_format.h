// What calls into the system returned in a recorded run (the file SYSCALL of a demo, docs/record-replay.md). Entries of
// a thread are in its own order; how threads interleave is the schedule's. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::sched {

inline constexpr char kDemoMagic[8] = {'H', 'D', 'L', 'D', 'E', 'M', 'O', '1'};
struct DemoHeader {
  char magic[8];
  uint64_t used;  // bytes, this header included; entries behind are not complete
  uint64_t lost;  // nonzero: the disk was full
};

// The calls that are recorded. The numbers are part of the format.
enum class DemoCall : uint8_t {
  kClock = 1,
  kRandom,
  kRead,
  kWrite,
  kAccept,
  kPoll,
  kConnect,
  kSignal,
  kWait,
  kSleep,
  kEnd
};
// kSignal: `error` is the number, siginfo_t follows. Its place is the thread's next step `handler`.

struct DemoEntry {
  uint32_t thread;  // number
  DemoCall call;
  uint8_t reissued;  // the call was on a file: a replay makes it again
  uint16_t unused;
  int32_t error;   // errno
  uint32_t bytes;  // that follow, padded to 8
  int64_t result;
};
static_assert(sizeof(DemoEntry) == 24);

constexpr uint64_t DemoEntryBytes(uint32_t bytes) { return sizeof(DemoEntry) + ((uint64_t{bytes} + 7) & ~uint64_t{7}); }

}  // namespace heddle::sched
