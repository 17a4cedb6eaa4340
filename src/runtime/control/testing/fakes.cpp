#include "runtime/control/testing/fakes.h"

#include <cstdio>

#include "runtime/control/carrier/preempt.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/report/deadlock.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/others.h"
#include "runtime/control/turn/start.h"
#include "runtime/control/turn/timer.h"
#include "runtime/control/turn/wait_outside.h"
#include "runtime/message.h"
#include "runtime/output/findings_file.h"

namespace heddle::rt {

constinit thread_local Hot t_hot{};
Mode g_mode = Mode::Control;
bool g_controlled = true;

void Message(const char* a, const char* b, const char* c) {
  std::fprintf(stderr, "%s%s%s\n", a, b == nullptr ? "" : b, c == nullptr ? "" : c);
}

namespace control {

FakeScheduler* g_fake = nullptr;
Visible g_visible = Visible::kAtomics;
wire::ExploreLink* g_link = nullptr;

bool RealTime() { return false; }
bool WaitsLast() { return false; }
bool ExpireTimer() { return false; }
bool LastChance() { return false; }
void NoteStanding() {}
bool MayBeStuck() { return false; }
void EndIfStuck(ControlThread* /*self*/) {}
void RunOthersUp(ControlThread* /*self*/) {}
bool OthersMayAct() { return false; }
void WakeOutside() {}
bool WaitOutside(ControlThread* /*self*/, bool /*comes*/) {
  if (!g_fake->somebody_outside) return false;
  g_fake->somebody_outside = false;
  StateHolder hold;
  ForEachLive([](ControlThread* thread) { Enable(thread); });
  return true;
}
[[noreturn]] void ReportDeadlock(ControlThread* /*self*/) { throw DeadlockReported{}; }
sched::Strategy* StrategyBehind() { return g_fake->behind; }

namespace {

// Also to standard error, where tests of a process that ends can see it.
void Tap(const char* text, size_t bytes) {
  g_fake->findings.emplace_back(text, bytes);
  std::fwrite(text, 1, bytes, stderr);
}

}  // namespace

FakeScheduler::FakeScheduler(sched::Strategy* strategy, uint32_t threads) : thread_(std::make_unique<Thread>()) {
  g_fake = this;
  TapFindings(Tap);
  g_enabled.Clear();
  g_head = nullptr;
  g_free = false;
  g_last = sched::kNoSlot;
  g_steps = 0;
  g_replaying = false;
  ForgetBlocked();
  for (uint32_t slot = 0; slot < threads; ++slot) {
    threads_.push_back(std::make_unique<ControlThread>());
    threads_[slot]->slot = slot;
    threads_[slot]->number = slot;
    g_slots[slot] = threads_[slot].get();
    g_enabled.Add(slot);
  }
  g_slot_limit = threads;
  g_live = threads;
  UseStrategy(strategy, &carrier_);
}

FakeScheduler::~FakeScheduler() {
  for (uint32_t slot = 0; slot < g_slot_limit; ++slot) g_slots[slot] = nullptr;
  g_slot_limit = 0;
  t_hot.thread = nullptr;
  TapFindings(nullptr);
  g_fake = nullptr;
}

void FakeScheduler::Be(uint32_t slot) {
  thread_->control = threads_[slot].get();
  t_hot.thread = thread_.get();
}

}  // namespace control
}  // namespace heddle::rt
