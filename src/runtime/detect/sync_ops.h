// The happens-before edges of synchronising operations (docs/detect.md lists them all).
#pragma once

#include "runtime/op.h"

namespace heddle::rt::detect {

struct DetectThread;

// Any operation on a synchronisation object except locks and atomics.
void Synchronise(DetectThread* self, const Op& op);

// Atomic operations; the stripe of the address is held (Hooks::atomic_enter).
void Atomic(DetectThread* self, const Op& op);
// From now on nothing that the calling thread does orders threads (change 1), until that is taken back (-1).
void IgnoreSync(int change);
void SetIgnoredSync(DetectThread* self, int count);

// Installing a handler comes before each time it runs.
void HandlerInstalled(int number);
void HandlerBegins(DetectThread* self, int number);
// Sending a signal comes before a wait for it that ends and before reading it from a descriptor. Not before its
// handler: neither C++ nor POSIX orders these.
void SignalSent(int number);
void SignalTaken(int number);

// The calling thread's next access of each word is looked at, also where the cells have one like it.
void NewSegment();

void AtomicFence(DetectThread* self, const Op& op);

}  // namespace heddle::rt::detect
