// Calls on descriptors that may have to wait. A thread waits for a descriptor as for a lock: blocked in the scheduler,
// woken by operations of other threads on descriptors or, when none can go on, by the outside. In real time it waits
// in the kernel before it asks for the turn.
#pragma once

#include <poll.h>

#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/wait_outside.h"
#include "wire/demo_format.h"

namespace heddle::rt::control {

// Waits in the kernel, without the turn, until one of the descriptors may be ready or `span` (null: no limit) is over.
// False when a signal came for the program; none is missed that came before.
bool WaitInKernel(pollfd* waits, uint32_t count, const timespec* span);

// Takes the turn when a call on `fd` for `events` would not block (or does not because the descriptor says so). False,
// with errno EINTR and without the turn, when a signal handler ran meanwhile. In a replay it is enough that `call` will
// be given back: that is asked with the turn, when the handlers have made their own calls.
bool TakeReady(const Point& point, int fd, short events, wire::DemoCall call);

// The same for several, as poll: the number of ready ones, 0 when `until` (null: never) has come, -1 as above. With
// the turn unless -1.
int TakeAnyReady(const Point& point, pollfd* waits, uint32_t count, const timespec* span, wire::DemoCall call);

}  // namespace heddle::rt::control
