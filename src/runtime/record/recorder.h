// A stream of records: the live buffer that one thread (or one signal handler on it) fills.
//
// The object is the header of the live buffer itself, mapped from the file: `used` is the only position, so whatever
// kills the process, the records before `used` are in the file. Only the owning thread writes. A signal handler gets a
// recorder of its own, because it may come between reading `used` and storing it.
#pragma once

#include <cstdint>

#include "runtime/op.h"
#include "runtime/threads/thread.h"
#include "trace/format.h"

namespace heddle::rt {

class Recorder {
 public:
  static Recorder* Take(uint32_t thread);
  void Release();  // writes what is left and gives the buffer back

  // Room for a record of `slots` slots; null when recording has stopped. The record counts once Publish is called.
  trace::Slot* Room(uint32_t slots) {
    uint64_t used = live_.used;
    if (used + slots * sizeof(trace::Slot) > trace::kLiveBytes) [[unlikely]] {
      if (!Flush()) return nullptr;
      used = live_.used;
    }
    return reinterpret_cast<trace::Slot*>(reinterpret_cast<uint8_t*>(this) + used);
  }
  void Publish(uint32_t slots) {
    // The compiler must not move the record's stores below; the processor does not.
    asm volatile("" ::: "memory");
    live_.used += slots * sizeof(trace::Slot);
  }

  // The record published last, which has `slots` slots; null when the buffer is empty.
  trace::Slot* Last(uint32_t slots) {
    if (live_.used < sizeof live_ + slots * sizeof(trace::Slot)) return nullptr;
    return reinterpret_cast<trace::Slot*>(reinterpret_cast<uint8_t*>(this) + live_.used) - slots;
  }

  // Compresses the buffer into a chunk of the file. False when recording has stopped (the buffer is emptied then too).
  bool Flush();

  uint32_t stream() const { return live_.stream; }

 private:
  trace::LiveHeader live_;
};
static_assert(sizeof(Recorder) == sizeof(trace::LiveHeader));

// Before and after fork: no flush may be under way in another thread.
void LockFlushing();
void UnlockFlushing();

}  // namespace heddle::rt
