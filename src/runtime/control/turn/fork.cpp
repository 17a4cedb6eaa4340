#include "runtime/control/turn/fork.h"

#include "runtime/control/replay/checkpoint.h"
#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/processes.h"
#include "runtime/control/report/bare_findings.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/gaps.h"
#include "runtime/control/turn/others.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/watchdog.h"

namespace heddle::rt::control {

namespace {
bool g_forking = false;
}

void BeforeFork() {
  if (!Controlled()) return;
  Take(PointOf(MakeOp(Kind::ProcessFork, nullptr, nullptr)));
  NoteForkStep();
  LockDemo();
  g_lock.Lock();
  g_forking = true;
}

void ChildBegins() {
  if (g_forking) ForkedChild();
}

void AfterFork(bool in_child) {
  if (!g_forking) return;
  g_forking = false;
  g_lock.Unlock();
  UnlockDemo();
  if (Exploring()) {
    NoteGap("a process is made (fork)");
    if (in_child) return LeaveSearch();
  }
  if (in_child) {
    ExpectOthers(Outsider::kParent);
    ForgetWatchdog();
    ForgetRing();
    OnlyThread();
    ForkedChildGoesOn(Self());
    RestartBareFindings();
  } else {
    ForkedParentGoesOn();
  }
  Done();
}

}  // namespace heddle::rt::control
