// Volatile accesses of compiled code, in the thread's turn (instrument/pass/volatiles.h). Without a schedule that
// orders them the code does not come here. The access is the program's own instruction between the two calls: it may
// fault, and the handler may jump away. Then the thread has the turn still, and its next operation is performed at
// once.
#include "runtime/control/replay/volatile_values.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/control_thread.h"
#include "runtime/control/turn/in_turn.h"
#include "runtime/visible.h"

#define HEDDLE_ABI extern "C" __attribute__((visibility("default")))

using namespace heddle::rt;  // NOLINT: the definitions below are the runtime's

HEDDLE_ABI void __heddle_volatile_begin(const volatile void* at, uint64_t bytes, uint64_t writes) {
  if (Passive() || !control::Controlled()) return;
  HEDDLE_WATCH_LOOP();
  control::Point point =
      control::PointOf(heddle::sched::kAccess, reinterpret_cast<uint64_t>(at), __builtin_return_address(0));
  point.writes = writes != 0;
  point.detail = static_cast<uint8_t>(bytes);
  control::BeginAccess(point);
}

// Behind a load: the value to go on with.
HEDDLE_ABI uint64_t __heddle_volatile_loaded(const volatile void* at, uint64_t bytes, uint64_t value) {
  if (Passive()) return value;
  control::ControlThread* self = control::Self();
  if (self != nullptr && self->in_access) value = control::VolatileLoaded(self, at, bytes, value);
  control::EndAccess();
  return value;
}

HEDDLE_ABI void __heddle_volatile_end() {
  if (!Passive()) control::EndAccess();
}
