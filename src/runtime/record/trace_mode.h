// Inside trace mode: what its two halves (plain accesses, visible operations) share.
#pragma once

#include <cstdint>

#include "runtime/threads/thread.h"

namespace heddle::rt {

// The end of the frames that are stored: deeper calls are only counted.
inline Frame* StoredTop() { return t_hot.top < t_hot.limit ? t_hot.top : t_hot.limit; }

// Makes every call unnumbered again, in the thread's tables.
void ForgetNodes(Thread* thread);

// Writes a Stack record (and Frame records for new calls) if the innermost call changed since the last one.
void RecordNewStack(Recorder* recorder, Thread* thread);
inline void RecordStack(Recorder* recorder, Thread* thread) {
  Frame* top = t_hot.top;
  bool outermost = top == thread->frames;
  uint64_t node = outermost || top > t_hot.limit ? 0 : top[-1].node;
  if (node == thread->stack_node && (node != 0 || outermost)) return;
  RecordNewStack(recorder, thread);
}

// Gives the thread's segment a new number, which no event has.
void RenewSegment();

// Creates the trace file and describes the process in it. False when that failed; the mode is then off.
bool StartTrace(const char* path);

}  // namespace heddle::rt
