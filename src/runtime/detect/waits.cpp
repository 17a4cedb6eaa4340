#include "runtime/detect/waits.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/detect/finding_lines.h"
#include "runtime/detect/misuse.h"
#include "runtime/detect/objects.h"
#include "runtime/detect/race_report.h"
#include "runtime/detect/state.h"
#include "runtime/libc/helper_thread.h"
#include "runtime/message.h"
#include "runtime/mode.h"
#include "runtime/output/findings_file.h"
#include "runtime/raw_syscall.h"
#include "runtime/signals/handlers.h"
#include "runtime/signals/outside.h"
#include "runtime/spin.h"
#include "runtime/threads/stuck_set.h"

namespace heddle::rt::detect {
namespace {

SpinLock g_lock;  // taken before any stripe, never with one held
DetectThread* g_first = nullptr;
uint32_t g_starting = 0;
// A futex word. kHangs: the last thing that the record says is that every thread waits for something outside. kOver: no
// thread is left; the process ends with its last one, which must not be the helper.
enum Progress : uint32_t { kGoesOn, kHangs, kOver };
uint32_t g_progress = kGoesOn;
bool g_watched = false;     // a helper thread looks again while the program hangs
uint32_t g_hangs_told = 0;  // a busy program may do so again and again
constexpr uint32_t kMostHangs = 1000;
constinit FindingsText g_text;

template <typename Each>
void ForEachLive(Each each) {
  for (DetectThread* thread = g_first; thread != nullptr; thread = thread->next) each(thread);
}

DetectThread* FindLive(uint32_t number) {
  for (DetectThread* thread = g_first; thread != nullptr; thread = thread->next) {
    if (thread->number == number) return thread;
  }
  return nullptr;
}

// How many shared holds of the lock are by threads that are stuck (whose lists stand still).
uint32_t StuckReaders(uint64_t address) {
  uint32_t count = 0;
  for (DetectThread* thread = g_first; thread != nullptr; thread = thread->next) {
    if (!thread->wait.stuck) continue;
    for (uint32_t i = 0; i < thread->held_count; ++i) {
      if (thread->held[i].address == address && thread->held[i].shared) count += thread->held[i].depth;
    }
  }
  return count;
}

bool StuckOnLock(const Wait& wait) {
  StripeHolder hold(wait.object);
  const SyncObject* object = FindObject(wait.object);
  if (object == nullptr) return false;
  if (object->owner != kNoThread) {
    const DetectThread* holder = FindLive(object->owner);
    return holder == nullptr || holder->wait.stuck;
  }
  return !wait.shared && object->readers > 0 && StuckReaders(wait.object) == object->readers;
}

bool NoWakeUnderWay(const Wait& wait) {
  StripeHolder hold(wait.object);
  const SyncObject* object = FindObject(wait.object);
  if (object == nullptr) return false;
  switch (wait.kind) {
    case WaitFor::kCond:
      return object->arrived == 0;
    case WaitFor::kSem:
      return object->count == 0;
    default:
      return object->count != 0 && object->arrived / object->count <= wait.phase;
  }
}

// `alone`: nothing outside can end what no lock holds up.
bool StaysStuck(const DetectThread* thread, bool everybody, bool alone) {
  const Wait& wait = thread->wait;
  switch (wait.kind) {
    case WaitFor::kNothing:
      return false;
    case WaitFor::kLock:
      return StuckOnLock(wait);
    case WaitFor::kJoin: {
      const DetectThread* target = FindLive(wait.target);
      return target != nullptr && target->wait.stuck;
    }
    default:
      return everybody && alone && NoWakeUnderWay(wait);
  }
}

// Whether its wait is going to end by pthread_cancel; those for locks and barriers do not.
bool EndsByCancel(const DetectThread* thread) {
  if (thread->wait.kind == WaitFor::kLock || thread->wait.kind == WaitFor::kBarrier) return false;
  const ThreadRecord* record = RecordOf(thread->number);
  return record != nullptr && __atomic_load_n(&record->cancelled, __ATOMIC_ACQUIRE);
}

// Marks the threads that can never go on; whether that is all of them.
bool FindStuck(bool alone) {
  for (DetectThread* thread = g_first; thread != nullptr; thread = thread->next) {
    thread->wait.stuck = thread->wait.kind != WaitFor::kNothing && !thread->wait.timed && !EndsByCancel(thread);
  }
  bool everybody = false;
  KeepStuck([](auto each) { ForEachLive(each); }, [](const DetectThread* thread) { return thread->wait.stuck; },
            [](DetectThread* thread) { thread->wait.stuck = false; },
            [&](const DetectThread* thread) { return StaysStuck(thread, everybody, alone); },
            [&] {
              everybody = g_starting == 0;
              ForEachLive([&](const DetectThread* thread) { everybody = everybody && thread->wait.stuck; });
            });
  return everybody && g_first != nullptr;
}

wire::WaitKind KindOf(WaitFor kind) {
  switch (kind) {
    case WaitFor::kJoin:
      return wire::WaitKind::kJoin;
    case WaitFor::kCond:
      return wire::WaitKind::kCond;
    case WaitFor::kSem:
      return wire::WaitKind::kSem;
    case WaitFor::kBarrier:
      return wire::WaitKind::kBarrier;
    default:
      return wire::WaitKind::kLock;
  }
}

void WriteDeadlock(FindingLine what, bool everybody) {
  g_text.Reset();
  g_text.Add(what).Number(everybody ? 1 : 0).Line();
  for (DetectThread* thread = g_first; thread != nullptr; thread = thread->next) {
    if (!thread->wait.stuck) continue;
    const Wait& wait = thread->wait;
    g_text.Add(FindingLine::kWaits).Number(thread->number).Add(WordOf(KindOf(wait.kind)));
    g_text.Hex(wait.kind == WaitFor::kJoin ? wait.target : wait.object).Line();
    AddStack(g_text, wait.pc, wait.stack);
    for (uint32_t i = 0; i < thread->held_count; ++i) {
      const HeldLock& held = thread->held[i];
      g_text.Add(FindingLine::kHolds).Hex(held.address).Number(held.shared ? 1 : 0).Line();
      AddStack(g_text, held.pc, held.stack);
    }
    thread->wait.reported = thread->wait.reported || what == FindingLine::kDeadlock;
  }
  g_text.Add(FindingLine::kEnd).Line();
  AppendFindings(g_text);
}

// Whether something outside can end the wait of a thread that is stuck.
bool OutsideCanEnd() {
  if (OutsideMayAct()) return true;
  for (DetectThread* thread = g_first; thread != nullptr; thread = thread->next) {
    const Wait& wait = thread->wait;
    bool object = wait.kind == WaitFor::kCond || wait.kind == WaitFor::kSem || wait.kind == WaitFor::kBarrier;
    if (wait.stuck && object && IsSharedMemory(wait.object)) return true;
  }
  return false;
}

void SetProgress(Progress value) {
  __atomic_store_n(&g_progress, value, __ATOMIC_RELEASE);
  Sys(SYS_futex, &g_progress, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// Every thread waits, and only something outside can change that: noted, for the case that nothing does.
void NoteHang() {
  if (g_progress == kHangs || g_hangs_told == kMostHangs) return;
  ++g_hangs_told;
  WriteDeadlock(FindingLine::kHang, false);
  SetProgress(kHangs);
}

void Resume() {
  if (g_progress != kHangs) return;
  SetProgress(kGoesOn);
  AppendFindingsLine(FindingLine::kResumed);
}

// With g_lock held. When no thread can go on under controlled scheduling, the scheduler says so.
void Check() {
  bool everybody = FindStuck(true);
  if (everybody && g_controlled) return;
  if (everybody && OutsideCanEnd()) {
    NoteHang();
    everybody = FindStuck(false);
  }
  bool is_new = false;
  for (DetectThread* thread = g_first; thread != nullptr; thread = thread->next) {
    is_new = is_new || (thread->wait.stuck && !thread->wait.reported);
  }
  if (is_new) WriteDeadlock(FindingLine::kDeadlock, everybody);
  if (!everybody) return;
  WriteRaceCounts();
  AppendFindingsLine(FindingLine::kFinished);
  Message("deadlock: every thread waits for another; the program is ended");
  Sys(SYS_exit_group, 1);
}

// While the program hangs: a child that could have ended the wait may end instead, and then nothing can any more.
void LookAgain() {
  constexpr long kFirst = 20'000'000;  // nanoseconds
  constexpr long kLongest = 640'000'000;
  long pause = kFirst;
  for (;;) {
    uint32_t seen = __atomic_load_n(&g_progress, __ATOMIC_ACQUIRE);
    if (seen == kOver) return;
    timespec limit{0, pause};
    Sys(SYS_futex, &g_progress, FUTEX_WAIT_PRIVATE, seen, seen == kHangs ? &limit : nullptr, nullptr, 0);
    SpinHolder hold(g_lock);
    bool hangs = g_progress == kHangs;
    pause = hangs && pause < kLongest ? pause * 2 : kFirst;
    if (hangs) Check();
  }
}

// Not with g_lock held.
void WatchHang() {
  if (__atomic_load_n(&g_progress, __ATOMIC_ACQUIRE) != kHangs) return;
  if (__atomic_exchange_n(&g_watched, true, __ATOMIC_ACQ_REL)) return;
  StartHelperThread("heddle-hang", LookAgain);
}

void Begin(DetectThread* self, Wait wait) {
  wait.stack = CurrentStack();
  {
    SpinHolder hold(g_lock);
    self->wait = wait;
    Check();
  }
  WatchHang();
}

}  // namespace

void WaitBegins(DetectThread* self, const Op& op) {
  Wait wait;
  wait.object = op.address;
  wait.pc = op.pc;
  if (op.kind == Kind::ThreadJoin) {
    const ThreadRecord* target = RecordOf(static_cast<uint32_t>(op.arg));
    if (target == nullptr || target->joined) return ReportMisuse(self, Misuse::kJoinTwice, 0, op.pc);
    wait.kind = WaitFor::kJoin;
    wait.target = static_cast<uint32_t>(op.arg);
  } else if (op.kind == Kind::SemWait) {
    wait.kind = WaitFor::kSem;
    wait.timed = static_cast<Manner>(op.detail) == Manner::Timed;
  } else {
    LockDetail detail = LockDetail::Unpack(op.detail);
    wait.kind = WaitFor::kLock;
    wait.shared = detail.shared;
    wait.timed = detail.manner == Manner::Timed;
    bool own = false;
    {
      StripeHolder hold(op.address);
      const SyncObject* object = FindObject(op.address);
      own = object != nullptr && object->owner == self->number;
    }
    if (own) ReportMisuse(self, Misuse::kDoubleLock, op.address, op.pc);
  }
  Begin(self, wait);
}

void BarrierWaitBegins(DetectThread* self, const Op& op) {
  Wait wait;
  wait.kind = WaitFor::kBarrier;
  wait.object = op.address;
  wait.pc = op.pc;
  wait.phase = self->barrier_phase;
  Begin(self, wait);
}

void CondWaitBegins(DetectThread* self, const Op& op) {
  {
    StripeHolder hold(op.address);
    SyncObject* object = FindOrMakeObject(op.address);
    if (object == nullptr) return;
    object->kind = ObjectKind::kCond;
    ++object->count;
  }
  Wait wait;
  wait.kind = WaitFor::kCond;
  wait.object = op.address;
  wait.pc = op.pc;
  wait.timed = op.detail == static_cast<uint8_t>(Manner::Timed);
  Begin(self, wait);
}

void CondWaitEnds(DetectThread* self, const Op& op) {
  WaitEnds(self);
  StripeHolder hold(op.address);
  SyncObject* object = FindObject(op.address);
  if (object == nullptr) return;
  if (object->count > 0) --object->count;
  if (op.result == static_cast<uint8_t>(Outcome::Success) && object->arrived > 0) --object->arrived;
  if (object->arrived > object->count) object->arrived = object->count;
}

void ThreadCancelled(uint32_t number) {
  ThreadRecord* record = RecordOf(number);
  if (record != nullptr) __atomic_store_n(&record->cancelled, true, __ATOMIC_RELEASE);
}

void CondSignalled(const Op& op) {
  StripeHolder hold(op.address);
  SyncObject* object = FindObject(op.address);
  if (object == nullptr) return;
  if (op.kind == Kind::CondBroadcast) {
    object->arrived = object->count;
  } else if (object->arrived < object->count) {
    ++object->arrived;
  }
}

void WaitEnds(DetectThread* self) {
  if (self->wait.kind == WaitFor::kNothing) return;
  SpinHolder hold(g_lock);
  self->wait = Wait{};
  Resume();
}

void ThreadStarts() {
  SpinHolder hold(g_lock);
  ++g_starting;
}

void ThreadStartFailed() {
  SpinHolder hold(g_lock);
  if (g_starting > 0) --g_starting;
}

void ThreadLives(DetectThread* self, bool announced) {
  SpinHolder hold(g_lock);
  if (announced && g_starting > 0) --g_starting;
  self->next = g_first;
  g_first = self;
}

void ThreadDies(DetectThread* self) {
  {
    SpinHolder hold(g_lock);
    for (DetectThread** at = &g_first; *at != nullptr; at = &(*at)->next) {
      if (*at != self) continue;
      *at = self->next;
      break;
    }
    Check();
    if (g_first == nullptr && g_starting == 0) SetProgress(kOver);
  }
  WatchHang();
}

void OnlyThread(DetectThread* self) {
  SpinHolder hold(g_lock);
  g_first = self;
  self->next = nullptr;
  g_starting = 0;
  g_progress = kGoesOn;
  g_watched = false;
}

void LockWaits() { g_lock.Lock(); }
void UnlockWaits() { g_lock.Unlock(); }

}  // namespace heddle::rt::detect
