// What the scheduler knows about a thread. Mapped when the thread is created, kept until it has been joined (or, for
// detached ones, until its slot is used again).
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>

#include "runtime/control/carrier/fiber_switch.h"
#include "runtime/control/replay/volatile_values.h"
#include "runtime/control/search/await.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/control.h"
#include "sched/c11_graph.h"

namespace heddle::rt::control {

// Values of ControlThread::grant, which is also the word an OS thread sleeps on.
enum Grant : uint32_t {
  kNone,     // wait
  kPerform,  // perform the operation that the thread stands before, or comes to next
  kChoose,   // the turn is the thread's when it comes to its next operation: then pick
  kHeld,     // it has the turn
  kSignal,   // a signal came: be enabled, its handler runs with the turn
  kPassed,   // others went on without it: be enabled when it comes, or at once if it was only slow to wake
  kArrive,   // queue up: the strategy is now by arrival
  kTry,      // by arrival: the turn is free for it, unless another thread is faster (OfferTurn)
  kDump,     // note the own stack and wait on
  kRunUp,    // a fiber behind its last operation: run up to the next one, without the turn
};

// The calls that led there, when the mode keeps them, behind the operation itself.
inline constexpr uint32_t kHeldFrames = 6;
struct LockInReport {
  uint64_t lock;
  uint64_t stack[kHeldFrames];  // 0: no more
  bool shared;
  bool robust;  // a mutex that says so when its owner has ended
};
inline constexpr uint32_t kMaxHeld = 32;
inline constexpr uint32_t kMaxDump = 64;

struct WaitObject;

// Handlers that ran on a thread. Some calls go on behind a handler that was installed with SA_RESTART.
struct SignalCount {
  uint32_t all = 0;
  uint32_t interrupting = 0;  // without SA_RESTART
};
inline constexpr uint32_t kMaxSent = 16;

// The C11 atomic that the thread stands before or has just performed (c11.h).
struct C11Thread {
  sched::C11Access access;
  bool prepared = false;
  uint32_t choice = 0;  // the store that it read or follows
  uint32_t own = 0;
  uint32_t rank = 0;
  uint32_t options = 0;
  uint64_t step = 0;
  uint64_t written = 0;
};

struct ControlThread {
  std::atomic<uint32_t> grant{kNone};
  std::atomic<uint32_t> sleeping{0};
  uint32_t number = 0;
  uint32_t slot = 0;
  int32_t name = -1;  // index in the schedule to enforce
  Thread* thread = nullptr;
  char id[64] = {};
  Point point;
  bool in_access = false;  // has the turn for an access of its own code (BeginAccess)

  // Under the scheduler's lock.
  bool blocked = false;
  bool queued = false;
  bool resting = false;  // a fiber behind its last operation (AwaitResume)
  bool away = false;     // ran so long without a visible operation that others go on
  bool ended = false;
  bool ends_process = false;  // main ended before others, and came back to end the process behind all of them
  uint64_t blocked_on = 0;
  bool until_ready = false;  // BlockUntilReady
  bool on_descriptor = false;
  pollfd* descriptors = nullptr;
  uint32_t descriptor_count = 0;
  bool by_signal = false;   // what it waits for a signal handler may bring
  bool for_signal = false;  // in sigwait
  bool timed = false;       // real time only: the wait ends by itself at `deadline`
  bool cancel_asked = false;
  std::atomic<bool> stands{false};      // before an operation, or in the kernel: no code of the program runs
  std::atomic<bool> has_signal{false};  // one that it may be able to take
  uint32_t sent_count = 0;              // of `sent`
  ControlThread* next_in_queue = nullptr;

  // Its own.
  uint64_t stack_begin = 0;
  uint64_t stack_end = 0;
  uint64_t random_state = 0;
  uint64_t demo_at = 0;         // in the recording that is played back: calls
  uint64_t signal_at = 0;       // ... and signals
  VolatileLooks volatiles;      // of a recording
  int os_id = 0;                // of its OS thread
  uint32_t signal_ticks = 0;    // the watchdog's: how long has_signal was seen
  int libc_id = 0;              // what glibc writes into mutexes that the thread owns
  SignalCount signals;          // handlers that have run
  SignalCount signals_at_take;  // as it came to the operation under way
  uint64_t deadline = 0;
  uint64_t now = 0;  // logical nanoseconds
  uint32_t idle_steps = 0;
  uint32_t invisible = 0;  // atomics since the last visible operation
  uint32_t held_count = 0;

  // A wait on a condition variable or futex (waits.h).
  WaitObject* waits_at = nullptr;
  uint64_t wait_sequence = 0;
  bool woken = false;

  uint64_t wants_write = 0;  // the lock that it queues at as a writer, if that lock prefers writers

  // For reports.
  std::atomic<uint32_t> dumped{0};
  uint32_t stack_depth = 0;

  std::atomic<uint32_t> gone{0};  // nobody looks at it any more but for its number
  FiberContext fiber;
  Await await;            // a search's
  uint32_t timeouts = 0;  // waits that ended by their limit
  C11Thread c11;
  bool pooled = false;     // a search's: its OS thread is in another process (explore.h)
  void* result = nullptr;  // pooled: what its start routine returned

  // Large, and mostly not used: behind the rest, so that threads of a search write one page of this.
  LockInReport held[kMaxHeld];
  SpinLoop loop;                 // a search's (spin_loop.h)
  uint64_t stack[kMaxDump];      // for reports
  PendingSignal sent[kMaxSent];  // by threads of the program; changed in turns
};

inline ControlThread* Self() { return t_hot.thread == nullptr ? nullptr : t_hot.thread->control; }

}  // namespace heddle::rt::control
