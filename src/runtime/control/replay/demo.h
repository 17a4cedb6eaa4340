// Recording what calls into the system return, and giving it back in a replay (wire/demo_format.h).
//
// A recorded call is made, and its result and what it wrote are kept; in a replay it is not made. A call on a file is
// made both times; the entry only says so. Entries belong to the calling thread: no turn is needed.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstdint>

#include "runtime/control/replay/demo_file.h"
#include "runtime/control/turn/control_thread.h"
#include "wire/demo_format.h"

namespace heddle::rt::control {

using wire::DemoCall;

enum class Demo : uint8_t { Off, Record, Play };
extern Demo g_demo;

// HEDDLE_DEMO_OUT and HEDDLE_DEMO_IN. False, with a message, when a file cannot be used.
bool StartDemo();
// Record: bytes so far, and another file from now on. With the turn, while nobody makes a call.
uint64_t DemoBytes();
bool MoveDemo(const char* path);
// In a process that took a checkpoint of a recording up: what calls returned since.
bool PlayFromCheckpoint(const char* path);
// In a child of fork: what its calls returned.
bool PlayStream(const char* path);
// Around fork: nobody is in the middle of an entry.
void LockDemo();
void UnlockDemo();

// Whether a call on `fd` is recorded, as the rules say. By default sockets, pipes, terminals and the like are; files,
// and what the program prints, are not.
bool IsRecorded(int fd);
// /proc, /sys: the kernel makes up the contents. A device that is no terminal.
bool IsOfKernel(int fd);
bool IsPlainDevice(int fd);
// Whether the rules say that such calls are made again.
bool IsIgnored(DemoCall call);

// In a child of fork: what it does belongs to no recording.
void ForgetDemo();

// Record: keeps the result, with the first `bytes` of what the call wrote into `pieces`.
void Keep(DemoCall call, int64_t result, int error, const iovec* pieces, int count, uint64_t bytes);
void KeepReissued(DemoCall call);
// A part of a write (intercept/long_writes.h), which another entry goes on with; and whether the next entry is one.
void KeepPart(DemoCall call, int64_t result);
bool NextIsPart(DemoCall call);

// Play: the calling thread's next entry, which must be of that call (else the replay has diverged and the process
// ends). False: the call is to be made. True: `result`, errno and the pieces are those of the recording.
bool PlayBack(DemoCall call, int64_t* result, const iovec* pieces, int count);
// The same without consuming it: whether the call will be made.
bool WillPlayBack(DemoCall call);

// Values of volatile loads (volatile_values.h). Play: whether the thread's next entry is that of its load number
// `since` since the last.
bool VolatilesAreRecorded();
bool PlayVolatile(int32_t since, uint64_t* value);

// Virtual time: what a clock shows, in logical nanoseconds. It follows from the schedule, but for waits for what is
// outside: how long those last, and whether by their limit, is not in it.
uint64_t KeptTime(ControlThread* self);

// A handler begins on the calling thread, which has the turn.
void KeepSignal(const ControlThread* self, const PendingSignal& signal);
// The next one that the recording has for it; false: none is left.
bool PlaySignal(ControlThread* self, PendingSignal* out);

// A call whose result is kept or given back. `make` makes it; `written` says, from the result, how many bytes it wrote
// into the pieces. `recorded`: not on a file.
template <typename Make, typename Written>
int64_t Recorded(DemoCall call, bool recorded, const iovec* pieces, int count, Make make, Written written) {
  if (g_demo == Demo::Off) return make();
  int64_t result = 0;
  if (g_demo == Demo::Play) return PlayBack(call, &result, pieces, count) ? result : make();
  result = make();
  int error = errno;
  if (recorded && !IsIgnored(call)) {
    Keep(call, result, error, pieces, count, result < 0 ? 0 : written(result));
  } else {
    KeepReissued(call);
  }
  errno = error;
  return result;
}

}  // namespace heddle::rt::control
