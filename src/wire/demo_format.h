// What calls into the system returned in a recorded run (the file SYSCALL of a demo, docs/record-replay.md). Entries of
// a thread are in its own order; how threads interleave is the schedule's. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::wire {

inline constexpr char kDemoMagic[8] = {'H', 'D', 'L', 'D', 'E', 'M', 'O', '3'};
// Folders beside the recorded calls: files that the program read before it changed them (of a recording), and those
// that it writes (of a replay).
inline constexpr char kOriginalsName[] = "/originals";
inline constexpr char kWrittenName[] = "/files";

struct DemoHeader {
  char magic[8];
  uint64_t used;   // bytes, this header included; entries behind are not complete
  uint64_t lost;   // nonzero: the disk was full, and all belongs to steps before this one (from 1)
  uint64_t flags;  // kInputRecorded, ...
};
inline constexpr uint64_t kInputRecorded = 1;      // stdio's standard input
inline constexpr uint64_t kVolatilesRecorded = 2;  // values of volatile loads
inline constexpr uint64_t kTimeRecorded = 4;       // logical time, where clocks are read

// The calls that are recorded, with the words that rules name them by. The numbers are part of the format.
#define HEDDLE_DEMO_CALLS(HEDDLE_CALL)                                                                       \
  HEDDLE_CALL(Clock, "clock")       /* clocks and times */                                                   \
  HEDDLE_CALL(Random, "random")     /* getrandom and the like */                                             \
  HEDDLE_CALL(Read, "read")         /* read, recv, epoll_wait and the like */                                \
  HEDDLE_CALL(Write, "write")       /* write, send, epoll_ctl and the like */                                \
  HEDDLE_CALL(Accept, "accept")     /* accept, accept4 */                                                    \
  HEDDLE_CALL(Poll, "poll")         /* poll, select and the like */                                          \
  HEDDLE_CALL(Connect, "connect")   /* connect */                                                            \
  HEDDLE_CALL(Signal, "signal")     /* a handler: `error` is the number, siginfo_t follows. Its place is the \
                                       thread's next step `handler`. */                                      \
  HEDDLE_CALL(Wait, "wait")         /* waitpid, sigwait, kill, timers */                                     \
  HEDDLE_CALL(Sleep, "sleep")       /* a sleep that a handler ended; what was left of it follows */          \
  HEDDLE_CALL(Ids, "ids")           /* process and thread ids */                                             \
  HEDDLE_CALL(Stat, "stat")         /* stat and the like */                                                  \
  HEDDLE_CALL(Socket, "socket")     /* bind, listen, shutdown, names and options of sockets */               \
  HEDDLE_CALL(Ioctl, "ioctl")       /* ioctl */                                                              \
  HEDDLE_CALL(Output, "output")     /* `result` is a hash of all that was printed so far */                  \
  HEDDLE_CALL(Outside, "outside")   /* what src/calls/libc.calls marks with keep */                          \
  HEDDLE_CALL(Open, "open")         /* open, fopen and the like; OpenedFile follows */                       \
  HEDDLE_CALL(Map, "map")           /* mmap of a file; what it maps of a file that is written */             \
  HEDDLE_CALL(Volatile, "volatile") /* a volatile load: `result` is the value, `error` how many loads since */

enum class DemoCall : uint8_t {
  kNone = 0,
#define HEDDLE_CALL(name, text) k##name,
  HEDDLE_DEMO_CALLS(HEDDLE_CALL)
#undef HEDDLE_CALL
      kEnd
};

// What a descriptor is, for rules.
#define HEDDLE_DEMO_KINDS(HEDDLE_KIND)                                                 \
  HEDDLE_KIND(File, "file")         /* regular files and block devices */              \
  HEDDLE_KIND(Folder, "folder")     /* directories */                                  \
  HEDDLE_KIND(Pipe, "pipe")         /* pipes and FIFOs */                              \
  HEDDLE_KIND(Socket, "socket")     /* sockets */                                      \
  HEDDLE_KIND(Terminal, "terminal") /* terminals */                                    \
  HEDDLE_KIND(Device, "device")     /* other character devices */                      \
  HEDDLE_KIND(Event, "event")       /* eventfd, timerfd, signalfd, epoll, inotify */   \
  HEDDLE_KIND(Input, "input")       /* standard input, whatever it is */               \
  HEDDLE_KIND(Printed, "printed")   /* standard output and error, whatever they are */ \
  HEDDLE_KIND(Proc, "proc")         /* files of /proc and /sys */                      \
  HEDDLE_KIND(Written, "written")   /* regular files that the program writes, or that were changed in the run */

enum class DemoKind : uint8_t {
#define HEDDLE_KIND(name, text) k##name,
  HEDDLE_DEMO_KINDS(HEDDLE_KIND)
#undef HEDDLE_KIND
      kEnd
};
constexpr uint64_t BitOf(DemoKind kind) { return uint64_t{1} << static_cast<unsigned>(kind); }
constexpr uint64_t BitOf(DemoCall call) { return uint64_t{1} << static_cast<unsigned>(call); }

// What is not recorded but made again in a replay.
struct DemoRules {
  uint64_t reissued = BitOf(DemoKind::kFile) | BitOf(DemoKind::kFolder) | BitOf(DemoKind::kPrinted);
  uint64_t ignored = 0;  // calls
};

struct DemoEntry {
  uint32_t thread;  // number
  DemoCall call;
  uint8_t reissued;  // the call was on a file: a replay makes it again
  uint16_t part;     // nonzero: of a write, and the thread's next entry goes on with it
  int32_t error;     // errno
  uint32_t bytes;    // that follow, padded to 8
  int64_t result;
};
static_assert(sizeof(DemoEntry) == 24);

constexpr uint64_t DemoEntryBytes(uint32_t bytes) { return sizeof(DemoEntry) + ((uint64_t{bytes} + 7) & ~uint64_t{7}); }

}  // namespace heddle::wire
