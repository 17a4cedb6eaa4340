#include "runtime/control/turn/wait_outside.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/control/report/deadlock.h"
#include "runtime/control/report/stuck.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/start.h"
#include "runtime/options.h"
#include "runtime/output/findings_file.h"
#include "runtime/raw_syscall.h"
#include "runtime/signals/handlers.h"
#include "runtime/signals/outside.h"

namespace heddle::rt::control {
namespace {

std::atomic<uint32_t> g_word{0};
std::atomic<uint32_t> g_on_descriptors{0};
constexpr uint32_t kMaxPoll = 1024;
constexpr long kSlice = 5'000'000;  // nanoseconds until somebody else's news is looked for
constexpr uint64_t kLookEvery = 64;

// Enables those whose descriptors are ready, after at most `nanoseconds` (negative: until one is).
void PollDescriptors(long nanoseconds) {
  KeepErrno keep;
  static pollfd waits[kMaxPoll];
  static ControlThread* who[kMaxPoll];
  uint32_t count = 0;
  {
    SpinHolder hold(g_lock);
    ForEachLive([&count](ControlThread* thread) {
      if (!thread->blocked || !thread->on_descriptor || count == kMaxPoll) return;
      for (uint32_t i = 0; i < thread->descriptor_count && count < kMaxPoll; ++i) {
        waits[count] = {thread->descriptors[i].fd, thread->descriptors[i].events, 0};
        who[count++] = thread;
      }
    });
  }
  timespec limit{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  long ready = Sys(SYS_ppoll, waits, count, nanoseconds < 0 ? nullptr : &limit, nullptr, 0);
  if (ready <= 0) return;
  SpinHolder hold(g_lock);
  for (uint32_t i = 0; i < count; ++i) {
    if (waits[i].revents != 0 && who[i]->blocked) Enable(who[i]);
  }
}

bool SomeoneWaitsForSignal() {
  bool handlers = HandlersInstalled();
  bool found = false;
  SpinHolder hold(g_lock);
  ForEachLive([&](const ControlThread* thread) {
    found = found || (thread->blocked && (thread->for_signal || (handlers && thread->by_signal)));
  });
  return found;
}

// Whoever waits in sigwait looks whether one has come: nobody else can.
void LetLookForSignals() {
  SpinHolder hold(g_lock);
  ForEachLive([](ControlThread* thread) {
    if (thread->blocked && thread->for_signal) Enable(thread);
  });
}

// Whoever waited with a limit that is over.
void LetTimeOut() {
  uint64_t now = RealNow();
  SpinHolder hold(g_lock);
  ForEachLive([now](ControlThread* thread) {
    if (thread->blocked && thread->timed && now >= thread->deadline) Enable(thread);
  });
}

uint64_t g_hang_step = 0;   // the step behind which nothing but the outside can help
uint64_t g_hang_since = 0;  // when that began
bool g_hang_noted = false;
constexpr uint64_t kHangAfter = 1'000'000'000;

// Whether a handler, a timer, a child or another process may end what all threads wait for. A cycle of locks they do
// not.
bool SomethingOutside(ControlThread* self) {
  if (Exploring() || !FindStuckNow(self).empty()) return false;
  bool shared = false;
  ForEachLive([&](const ControlThread* thread) { shared = shared || IsSharedMemory(thread->point.address); });
  return shared || OutsideMayAct();
}

// Notes a hang that lasts. A replay is not there to wait: it ends with that.
void StandStill(ControlThread* self) {
  if (IsReplay()) ReportHang(self, true);
  uint64_t now = RealNow();
  if (g_hang_since == 0 || g_hang_step != g_steps) {
    g_hang_since = now;
    g_hang_step = g_steps;
  }
  if (g_hang_noted || now - g_hang_since < kHangAfter) return;
  g_hang_noted = true;
  ReportHang(self, false);
}

// A step was made after all.
void Resume() {
  g_hang_noted = false;
  g_hang_since = 0;
  AppendFindingsLine(FindingLine::kResumed);
}

}  // namespace

bool OthersMayAct() { return g_on_descriptors.load() != 0; }

void WakeOutside() {
  g_word.fetch_add(1);
  Sys(SYS_futex, &g_word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

bool WaitOutside(ControlThread* self, bool comes) {
  uint32_t before = g_word.load();
  bool descriptors = g_on_descriptors.load() != 0;
  bool signals = SomeoneWaitsForSignal();
  bool nobody = !descriptors && !signals && !comes;
  if (nobody && !SomethingOutside(self)) return false;
  if (nobody) StandStill(self);
  if (t_hot.pending != 0) {
    EnableFromOutside(self);
    return true;
  }
  if (descriptors) {
    PollDescriptors(signals || comes ? kSlice : -1);
  } else {
    KeepErrno keep;
    timespec slice{0, kSlice};
    Sys(SYS_futex, &g_word, FUTEX_WAIT_PRIVATE, before, &slice, nullptr, 0);
  }
  if (signals) LetLookForSignals();
  if (comes) LetTimeOut();
  return true;
}

void PollOutside() {
  if (__builtin_expect(static_cast<long>(g_hang_noted), 0) != 0) Resume();
  if (g_steps % kLookEvery == 0 && g_on_descriptors.load(std::memory_order_relaxed) != 0) PollDescriptors(0);
}

bool BlockOnDescriptors(pollfd* waits, uint32_t count, uint64_t until) {
  ControlThread* self = Self();
  if (self == nullptr) return false;
  self->descriptors = waits;
  self->descriptor_count = count;
  self->on_descriptor = true;
  self->by_signal = true;
  g_on_descriptors.fetch_add(1);
  bool in_time = true;
  if (until == kForever) {
    Block(kDescriptorKey);
  } else {
    in_time = BlockUntil(kDescriptorKey, until);
  }
  g_on_descriptors.fetch_sub(1);
  self->on_descriptor = false;
  self->by_signal = false;
  return in_time;
}

}  // namespace heddle::rt::control
