// The scheduler without a program: threads that are only data, a carrier that notes whom it wakes, and stand-ins for
// the parts of the runtime around it. One test program has one of these at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/control/carrier/carrier.h"
#include "runtime/control/turn/scheduler_parts.h"

namespace heddle::rt::control {

// ReportDeadlock, which does not return, throws this.
struct DeadlockReported {};

class FakeCarrier final : public Carrier {
 public:
  void Park(ControlThread* /*self*/, uint64_t /*deadline*/) override {}
  void Unpark(ControlThread* thread) override { woken.push_back(thread->slot); }
  void Leave(ControlThread* /*self*/, ControlThread* /*next*/) override {}
  void Created(ControlThread* /*thread*/) override {}
  void Enter(ControlThread* /*self*/) override {}
  void Forked(ControlThread* /*self*/) override {}
  bool is_fiber() const override { return true; }  // no other thread: the scheduler's lock is not taken

  std::vector<uint32_t> woken;
};

class FakeScheduler {
 public:
  FakeScheduler(sched::Strategy* strategy, uint32_t threads);
  ~FakeScheduler();
  FakeScheduler(const FakeScheduler&) = delete;
  FakeScheduler& operator=(const FakeScheduler&) = delete;

  ControlThread* operator[](uint32_t slot) { return threads_[slot].get(); }
  // From now on the calling thread is this one.
  void Be(uint32_t slot);
  FakeCarrier& carrier() { return carrier_; }

  bool somebody_outside = false;      // WaitOutside says that somebody acted
  std::vector<std::string> findings;  // lines for the findings file
  sched::Strategy* behind = nullptr;  // when a schedule ends

 private:
  FakeCarrier carrier_;
  std::vector<std::unique_ptr<ControlThread>> threads_;
  std::unique_ptr<Thread> thread_;
};

// Null: there is none.
extern FakeScheduler* g_fake;

}  // namespace heddle::rt::control
