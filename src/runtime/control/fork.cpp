#include "runtime/control/fork.h"

#include "runtime/control/record.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/step_log.h"
#include "runtime/control/watchdog.h"

namespace heddle::rt::control {

void BeforeFork(const void* pc) {
  Take(PointOf(MakeOp(Kind::ProcessFork, nullptr, pc)));
  g_lock.Lock();
}

void AfterFork(bool in_child) {
  g_lock.Unlock();
  if (in_child) {
    ForgetWatchdog();
    OnlyThread();
    RestartStepLog();
    RestartRecord();
  }
  Done();
}

}  // namespace heddle::rt::control
