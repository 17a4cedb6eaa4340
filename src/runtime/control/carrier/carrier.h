// What carries logical threads: an OS thread each, or fibers that share one (docs/control-design.md). The scheduler
// decides; a carrier only stops and starts.
#pragma once

#include <pthread.h>

#include "runtime/control/turn/control_thread.h"

namespace heddle::rt::control {

class Carrier {
 public:
  // Stops the calling thread; returns when its grant may have changed. `deadline`: real nanoseconds, 0 for none.
  virtual void Park(ControlThread* self, uint64_t deadline) = 0;
  // `thread`'s grant was set: it may go on.
  virtual void Unpark(ControlThread* thread) = 0;
  // The calling thread has ended for the program; `next` has been granted the turn (null: nobody is left). Returns on
  // the thread's own OS thread.
  virtual void Leave(ControlThread* self, ControlThread* next) = 0;

  // Creation: the new thread calls Enter first. `Created` is called by the creator when pthread_create has succeeded.
  virtual void Created(ControlThread* thread) = 0;
  virtual void Enter(ControlThread* self) = 0;
  // In a child of fork: `self` is the only thread.
  virtual void Forked(ControlThread* self) = 0;
  virtual bool is_fiber() const = 0;

 protected:
  ~Carrier() = default;
};

Carrier* OsCarrier();
// Null when the machine has no FSGSBASE.
Carrier* FiberCarrier();

}  // namespace heddle::rt::control
