#include "runtime/detect/detect_mode.h"

#include <new>

#include "runtime/detect/access.h"
#include "runtime/detect/arena.h"
#include "runtime/detect/atomic_turn.h"
#include "runtime/detect/dead_stacks.h"
#include "runtime/detect/finding_lines.h"
#include "runtime/detect/heap.h"
#include "runtime/detect/locks.h"
#include "runtime/detect/misuse.h"
#include "runtime/detect/objects.h"
#include "runtime/detect/race_report.h"
#include "runtime/detect/shadow.h"
#include "runtime/detect/state.h"
#include "runtime/detect/sync_ops.h"
#include "runtime/detect/waits.h"
#include "runtime/detect/weak_mode.h"
#include "runtime/mode.h"
#include "runtime/output/findings_file.h"
#include "runtime/output/process_text.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace detect {
namespace {

const char* g_path = nullptr;

// The thread's own component may have moved on.
void UpdateSegment(const DetectThread* self) { __heddle_segment = self->order.Segment(); }

void ThreadForked(DetectThread* self, const Op& op) {
  ThreadRecord* child = RecordOf(static_cast<uint32_t>(op.arg));
  if (child == nullptr) return;
  auto number = static_cast<uint32_t>(op.arg);
  child->known = TakeSlot(&self->order, number, &child->slot, &child->first_epoch);
  if (!child->known) return;
  child->parent = self->number;
  child->created_pc = op.pc;
  child->created_stack = CurrentStack();
  ThreadStarts();
  child->start.Assign(self->order.now);
  self->order.Tick();
  self->must.Set(self->order.slot, self->must_epoch);
  child->must.Assign(self->must);
  ++self->must_epoch;
}

void ThreadForkFailed(const Op& op) {
  ThreadRecord* child = RecordOf(static_cast<uint32_t>(op.arg));
  if (child == nullptr || !child->known) return;
  EndSlot(child->slot, child->first_epoch);
  child->start.Clear();
  child->must.Clear();
  child->known = false;
  ThreadStartFailed();
}

void ThreadJoined(DetectThread* self, const Op& op) {
  WaitEnds(self);
  ThreadRecord* child = RecordOf(static_cast<uint32_t>(op.arg));
  if (child == nullptr || op.result != static_cast<uint8_t>(Outcome::Success)) return;
  child->joined = true;
  self->order.Learn(child->end);
  self->must.Join(child->must_end);
  child->end.Clear();
  child->must_end.Clear();
}

void ThreadDetached(const Op& op) {
  ThreadRecord* child = RecordOf(static_cast<uint32_t>(op.arg));
  if (child != nullptr) __atomic_store_n(&child->detached, true, __ATOMIC_RELEASE);
}

// Condition variables, semaphores and barriers count as a byte that their users read atomically and that whoever makes
// or destroys them writes: so a use that is not ordered with their life is a race. (Locks: locks.cpp, by their clocks.)
void UseOfPrimitive(DetectThread* self, const Op& op, uint8_t flags) {
  if (t_hot.ignore != 0 || !IsInstrumentedCode(reinterpret_cast<const void*>(op.pc))) return;  // NOLINT
  CheckAccess(self, op.address, 1, flags, op.pc);
}

void Condition(DetectThread* self, const Op& op) {
  switch (op.kind) {
    case Kind::CondWait:
      UseOfPrimitive(self, op, kAccessAtomic);
      if (!HoldsAlone(self, op.arg))
        ReportMisuse(self, Misuse::kWaitUnlocked, op.address, op.pc);
      else
        LockDropped(self, op.arg, op.pc);
      return CondWaitBegins(self, op);
    case Kind::CondWake: {
      CondWaitEnds(self, op);
      Op lock = op;
      lock.kind = Kind::Lock;
      lock.address = op.arg;
      lock.detail = LockDetail{LockClass::Mutex, false, Manner::Try}.Pack();
      return LockTaken(self, lock);
    }
    default:
      UseOfPrimitive(self, op, kAccessAtomic);
      return CondSignalled(op);
  }
}

void LockOperation(DetectThread* self, const Op& op) {
  if (IsFreed(op.address)) [[unlikely]]
    UseOfPrimitive(self, op, kAccessAtomic);
  switch (op.kind) {
    case Kind::LockInit:
      if (op.result == static_cast<uint8_t>(Outcome::Success)) LockMade(self, op);
      return;
    case Kind::LockDestroy:
      return LockDestroyed(self, op);
    case Kind::Lock:
      WaitEnds(self);
      if (op.result == static_cast<uint8_t>(Outcome::Success)) LockTaken(self, op);
      if (op.result == static_cast<uint8_t>(Outcome::Error)) LockRefused(self, op);
      return;
    default: {
      LockDetail asked = LockDetail::Unpack(op.detail);
      return LockDropped(self, op.address, op.pc, asked.lock_class == LockClass::Annotated ? &asked : nullptr);
    }
  }
}

void Dispatch(DetectThread* self, const Op& op) {
  switch (op.kind) {
    case Kind::ThreadFork:
      return ThreadForked(self, op);
    case Kind::ThreadForkFailed:
      return ThreadForkFailed(op);
    case Kind::ThreadJoin:
      return ThreadJoined(self, op);
    case Kind::ThreadDetach:
      return ThreadDetached(op);
    case Kind::LockInit:
    case Kind::LockDestroy:
    case Kind::Lock:
    case Kind::Unlock:
      return LockOperation(self, op);
    case Kind::CondWait:
    case Kind::CondWake:
    case Kind::CondSignal:
    case Kind::CondBroadcast:
      return Condition(self, op);
    case Kind::AtomicLoad:
    case Kind::AtomicStore:
    case Kind::AtomicRmw:
    case Kind::AtomicCas:
      return Atomic(self, op);
    case Kind::Fence:
      return AtomicFence(self, op);
    case Kind::Alloc:
      ForgetAtomics(self);
      CheckHandler(self, op);
      BlockAllocated(op);
      if (op.detail == static_cast<uint8_t>(AllocHow::Calloc)) MemoryCleared(self, op);
      return;
    case Kind::Free:
      ForgetAtomics(self);
      CheckHandler(self, op);
      return BlockFreed(self, op);
    case Kind::Map:
    case Kind::Unmap:
      ForgetAtomics(self);
      StackBegins(op.address, op.arg);
      MemoryGone(op.address, op.arg);
      if (op.kind == Kind::Map) MemoryCleared(self, op);
      return;
    case Kind::CondInit:
    case Kind::CondDestroy:
    case Kind::SemDestroy:
    case Kind::BarrierDestroy:
      return UseOfPrimitive(self, op, kAccessWrite);
    default:
      if (op.kind == Kind::SemWait || op.kind == Kind::BarrierExit) WaitEnds(self);
      if (op.kind == Kind::SemInit || op.kind == Kind::BarrierInit) UseOfPrimitive(self, op, kAccessWrite);
      if (op.kind == Kind::SemPost || op.kind == Kind::SemWait || op.kind == Kind::BarrierEnter) {
        UseOfPrimitive(self, op, kAccessAtomic);
      }
      Synchronise(self, op);
      if (op.kind == Kind::BarrierEnter) BarrierWaitBegins(self, op);
      return;
  }
}

void Commit(const Op& op) {
  DetectThread* self = Self();
  if (self == nullptr) return;
  Dispatch(self, op);
  UpdateSegment(self);
}

// A release that failed has been counted as one: an edge more, which at worst hides something.
void Amend(Outcome) {}

void Blocked(const Op& op) {
  DetectThread* self = Self();
  if (self != nullptr) WaitBegins(self, op);
}

// The object is made before the operation takes effect: whoever reads what this one releases finds it.
void AtomicEnter(const void* address) {
  auto where = reinterpret_cast<uint64_t>(address);
  Stripe& stripe = StripeOf(where);
  stripe.lock.Lock();
  stripe.BeginChange();
  FindOrMakeObject(where);
  DetectThread* self = Self();
  if (self != nullptr) self->in_stripe = true;
}
void AtomicLeave(const void* address) {
  DetectThread* self = Self();
  if (self != nullptr) self->in_stripe = false;
  Stripe& stripe = StripeOf(reinterpret_cast<uint64_t>(address));
  stripe.EndChange();
  stripe.lock.Unlock();
}

// Ordered: an operation with an order touched the location once, or this thread has a release fence behind it.
AtomicNeed NeedOfAtomic(const void* address, uint32_t bytes, bool stores) {
  const DetectThread* self = Self();
  auto where = reinterpret_cast<uint64_t>(address);
  if (self == nullptr || self->order.released_segment != 0 || FindObject(where) != nullptr) return AtomicNeed::kOrdered;
  return IsRecent(self, RecentAtomic::Of(self->order.Segment(), where, bytes, stores, false)) ? AtomicNeed::kNothing
                                                                                              : AtomicNeed::kCommit;
}

void WriteCreation(const DetectThread* self, const ThreadRecord* record) {
  static constinit FindingsText text;
  static SpinLock lock;
  SpinHolder hold(lock);
  text.Reset();
  text.Add(FindingLine::kCreated).Number(self->number).Number(record->parent).Line();
  AddStack(text, record->created_pc, record->created_stack);
  text.Add(FindingLine::kEnd).Line();
  AppendFindings(text);
}

void ThreadBegin(Thread* thread, const Op*) {
  WriteThreadText(thread);
  ThreadRecord* record = RecordOf(thread->number);
  if (record == nullptr) return;
  bool announced = record->known;
  if (!announced) record->known = TakeSlot(nullptr, thread->number, &record->slot, &record->first_epoch);
  void* block = record->known ? ArenaTake(sizeof(DetectThread)) : nullptr;
  if (block == nullptr) return;
  auto* self = new (block) DetectThread;
  self->number = thread->number;
  self->history = HistoryOf(record->slot);
  self->order.now.Join(record->start);
  self->order.Begin(record->slot, record->first_epoch);
  SeedChoices(self);
  self->must_epoch = record->first_epoch;  // behind those of the slot's last owner
  self->must.Join(record->must);
  record->start.Clear();
  record->must.Clear();
  if (thread->number != 0 && !thread->fresh_stack) {
    void* low = nullptr;
    StackRange(&low, &thread->stack_bytes);
    thread->stack_low = reinterpret_cast<uint64_t>(low);
    if (thread->stack_bytes != 0) MemoryGone(thread->stack_low, thread->stack_bytes);
  }
  StackBegins(thread->stack_low, thread->stack_bytes);
  thread->detect = self;
  if (announced) WriteCreation(self, record);
  ThreadLives(self, announced);
  UpdateSegment(self);
}

// An AnnotateIgnore...Begin without its end.
void EndsIgnoring(DetectThread* self) {
  const Thread* thread = t_hot.thread;
  if (self == nullptr || thread == nullptr || t_hot.ignore == 0 || thread->ignore_pc == 0) return;
  ReportMisuse(self, Misuse::kExitIgnoring, 0, thread->ignore_pc);
}

void ThreadEnd(Thread* thread) {
  DetectThread* self = thread->detect;
  __heddle_segment = 0;
  thread->detect = nullptr;
  if (self == nullptr) return;
  ThreadEndsWithLocks(self);
  EndsIgnoring(self);
  if (g_controlled && thread->number != 0 && !thread->given_stack) {
    StackEnds(thread->stack_low, thread->stack_bytes, thread->fresh_stack);
  }
  ThreadRecord* record = RecordOf(self->number);
  if (!__atomic_load_n(&record->detached, __ATOMIC_ACQUIRE)) {
    record->end.Assign(self->order.now);
    self->must.Set(self->order.slot, self->must_epoch);
    record->must_end.Assign(self->must);
  }
  record->ended = true;
  EndSlot(self->order.slot, self->order.epoch);
  ThreadDies(self);
  self->order.Clear();
  self->must.Clear();
  if (self->held != nullptr) ArenaGive(self->held, self->held_capacity * sizeof(HeldLock));
  ArenaGive(self, sizeof *self);
}

void ForkBefore() {
  LockText();
  LockReports();
  LockWaits();
  LockStripes();
  LockSlots();
  LockWeak();
  LockArena();
}

void ForkAfter(bool in_child) {
  UnlockArena();
  UnlockWeak();
  UnlockSlots();
  UnlockStripes();
  UnlockWaits();
  UnlockReports();
  UnlockText();
  DetectThread* self = t_hot.thread == nullptr ? nullptr : t_hot.thread->detect;
  if (!in_child) return;
  ForgetFindingsFile();
  ForgetReports();
  if (!CreateFindingsFile(g_path)) return;
  WriteProcessText();
  if (self == nullptr) return;
  WriteThreadText(t_hot.thread);
  EndOtherSlots(self->order);
  OnlyThread(self);
  UpdateSegment(self);
}

void ProcessEnd(int) {
  if (t_hot.thread != nullptr) EndsIgnoring(t_hot.thread->detect);
  WriteRaceCounts();
  AppendFindingsLine(FindingLine::kFinished);
  __heddle_segment = 0;
  t_hot.gone = 1;
  t_hot.thread = nullptr;
}

// The frames that the interrupted code may be about to write hold nothing yet.
void SignalBegin(int number) {
  for (Frame* skipped = t_hot.top - 2; skipped < t_hot.top; ++skipped) *skipped = {0, 0, skipped->stack};
  DetectThread* self = t_hot.thread == nullptr ? nullptr : t_hot.thread->detect;
  if (self == nullptr) return;
  // What the interrupted code ignores is not the handler's. It may be a handler itself.
  self->ignored_before[t_hot.thread->handlers - 1] = self->ignored_sync;
  SetIgnoredSync(self, 0);
  if (!self->in_stripe) HandlerBegins(self, number);
}
void SignalEnd(int) {
  DetectThread* self = t_hot.thread == nullptr ? nullptr : t_hot.thread->detect;
  if (self != nullptr) SetIgnoredSync(self, self->ignored_before[t_hot.thread->handlers - 1]);
}

}  // namespace
}  // namespace detect

// What programs built for ThreadSanitizer may define; read by src/detect/tsan_options.h.
extern "C" {
__attribute__((weak)) const char* __tsan_default_options();
__attribute__((weak)) const char* __tsan_default_suppressions();
}

namespace detect {
namespace {

// Each line of the text as a line of the findings file, with `word` before it.
void WriteProgramText(FindingLine word, const char* text) {
  static constinit FindingsText lines;
  while (text != nullptr && *text != '\0') {
    char line[1024];
    size_t length = 0;
    for (; *text != '\0' && *text != '\n'; ++text) {
      if (length + 1 < sizeof line) line[length++] = *text;
    }
    line[length] = '\0';
    if (*text == '\n') ++text;
    lines.Reset();
    lines.Add(word).Add(line).Line();
    AppendFindings(lines);
  }
}

}  // namespace
}  // namespace detect

bool StartDetect(const char* path) {
  using namespace detect;
  g_path = path;
  if (!StartShadow() || !StartObjects() || !StartDepot() || !StartState()) return false;
  if (!CreateFindingsFile(path)) return false;
  StartHeap();
  if (IsWeak()) StartWeak();
  g_direct_atomics = !IsWeak();
  SetTextSink(AppendFindings);
  WriteProcessText();
  if (__tsan_default_options != nullptr) WriteProgramText(FindingLine::kOption, __tsan_default_options());
  if (__tsan_default_suppressions != nullptr)
    WriteProgramText(FindingLine::kSuppression, __tsan_default_suppressions());
  return true;
}

const Hooks kDetectHooks = {
    .commit = detect::Commit,
    .amend = detect::Amend,
    .blocked = detect::Blocked,
    .atomic_enter = detect::AtomicEnter,
    .atomic_leave = detect::AtomicLeave,
    .atomic_need = detect::NeedOfAtomic,
    .atomic_choose = nullptr,
    .thread_begin = detect::ThreadBegin,
    .thread_end = detect::ThreadEnd,
    .thread_name = WriteNameText,
    .fork_before = detect::ForkBefore,
    .fork_after = detect::ForkAfter,
    .modules_changed = WriteModulesText,
    .process_end = detect::ProcessEnd,
    .signal_begin = detect::SignalBegin,
    .signal_end = detect::SignalEnd,
};

}  // namespace heddle::rt
