// The happens-before edges of synchronising operations (docs/detect.md lists them all).
#pragma once

#include "runtime/op.h"

namespace heddle::rt::detect {

struct DetectThread;

// Any operation on a synchronisation object except locks and atomics.
void Synchronise(DetectThread* self, const Op& op);

// Atomic operations; the stripe of the address is held (Hooks::atomic_enter).
void Atomic(DetectThread* self, const Op& op);
void AtomicFence(DetectThread* self, const Op& op);

void ForgetDescriptor(uint64_t fd);

}  // namespace heddle::rt::detect
