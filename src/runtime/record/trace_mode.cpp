// Visible operations in trace mode. Each takes the next number of one global counter, which is its place in the order
// of the run: acquire operations take it when they have succeeded, release operations before they let go, atomics
// while operations on the same address are kept out.
#include "runtime/record/trace_mode.h"

#include "runtime/mode.h"
#include "runtime/options.h"
#include "runtime/output/process_text.h"
#include "runtime/output/trace_file.h"
#include "runtime/record/cond_match.h"
#include "runtime/record/filter.h"
#include "runtime/record/recorder.h"
#include "runtime/spin.h"

namespace heddle::rt {
namespace {

using trace::PackHead;
using trace::PackTail;
using trace::Slot;

std::atomic<uint64_t> g_sequence{0};
const char* g_path = nullptr;

constexpr uint32_t kAtomicLocks = 1024;
struct alignas(64) AtomicLock {
  SpinLock lock;
};
AtomicLock g_atomic_locks[kAtomicLocks];

SpinLock& AtomicLockOf(const void* address) {
  // 16-byte granules: 128-bit atomics and their halves meet.
  return g_atomic_locks[((reinterpret_cast<uint64_t>(address) >> 4U) * 0x9E3779B97F4A7C15ULL) >> 54U].lock;
}

void NewSegment(uint64_t sequence) {
  if (__heddle_segment == 0) return;  // the filter is off
  if (sequence % (kFilterSegments / 2) == 0) EmptyFilter();
  __heddle_segment = SegmentBits(sequence);
  t_hot.filter_generation = g_filter_generation.load(std::memory_order_relaxed);
}

// Matching of signals and waits rides on the sequence numbers.
void MatchConditions(const Op& op, Thread* thread, uint64_t sequence, uint64_t* arg2) {
  switch (op.kind) {
    case Kind::CondWait:
      CondWaitStarts(thread, op.address, sequence);
      break;
    case Kind::CondSignal:
      CondSignalled(op.address, sequence, false);
      break;
    case Kind::CondBroadcast:
      CondSignalled(op.address, sequence, true);
      break;
    case Kind::CondWake:
      *arg2 = CondWaitEnds(thread, op.result != static_cast<uint8_t>(Outcome::Success));
      break;
    default:
      break;
  }
}

void Commit(const Op& op) {
  Recorder* recorder = t_hot.recorder;
  Thread* thread = recorder != nullptr ? t_hot.thread : CurrentThread();
  if (recorder == nullptr) recorder = t_hot.recorder;
  if (thread == nullptr || recorder == nullptr) return;
  RecordStack(recorder, thread);
  uint32_t slots = trace::SlotsOf(op.kind);
  Slot* slot = recorder->Room(slots);
  if (slot == nullptr) return;
  uint64_t sequence = g_sequence.fetch_add(1, std::memory_order_acq_rel) + 1;
  uint64_t arg2 = op.arg2;
  if (op.kind >= Kind::CondSignal && op.kind <= Kind::CondWake) MatchConditions(op, thread, sequence, &arg2);
  slot[1] = {sequence, op.arg};
  if (slots > 2) slot[2] = {arg2, op.arg3};
  slot->tail = PackTail(op.pc, op.result, op.order);
  slot->head = PackHead(op.kind, op.detail, op.address);
  recorder->Publish(slots);
  t_hot.run_start = slot + slots;
  NewSegment(sequence);
}

// Nothing comes between commit and amend on this recorder, so the record is the last one in the buffer. Release
// operations have two slots.
void Amend(Outcome outcome) {
  if (t_hot.recorder == nullptr) return;
  Slot* last = t_hot.recorder->Last(2);
  if (last != nullptr) last->tail |= static_cast<uint64_t>(outcome) << 48U;
}

void Blocked(const Op& op) {
  if (op.kind == Kind::ThreadJoin) return;  // joins have one event, their end
  Op block = op;
  block.kind = op.kind == Kind::SemWait ? Kind::SemBlock : Kind::LockBlock;
  Commit(block);
}

void AtomicEnter(const void* address) { AtomicLockOf(address).Lock(); }
void AtomicLeave(const void* address) { AtomicLockOf(address).Unlock(); }

void RecordAccesses(Thread* thread) {
  t_hot.recorder = Recorder::Take(thread->number);
  // Any nonzero number turns the filter on; the thread's first event gives it its own.
  __heddle_segment = g_options.filter && t_hot.recorder != nullptr ? 1 : 0;
}

void ThreadBegin(Thread* thread, const Op*) {
  WriteThreadText(thread);
  RecordAccesses(thread);
  void* low = nullptr;
  size_t bytes = 0;
  StackRange(&low, &bytes);
  Op op = MakeOp(Kind::ThreadBegin, low, nullptr, bytes);
  op.arg2 = thread->start_pc;
  Commit(op);
}

void ThreadEnd(Thread* thread) {
  Commit(MakeOp(Kind::ThreadEnd, nullptr, nullptr));
  __heddle_segment = 0;
  if (t_hot.recorder != nullptr) t_hot.recorder->Release();
  t_hot.recorder = nullptr;
  (void)thread;
}

// In the order in which other threads nest them: an atomic operation may flush while it holds its address.
void ForkBefore() {
  for (AtomicLock& atomic : g_atomic_locks) atomic.lock.Lock();
  LockFlushing();
  LockCondMatching();
  g_output.Lock();
  LockText();
}

void ForkAfter(bool in_child) {
  UnlockText();
  g_output.Unlock();
  UnlockCondMatching();
  UnlockFlushing();
  for (AtomicLock& atomic : g_atomic_locks) atomic.lock.Unlock();
  if (!in_child) return;
  // The buffers belong to the parent; the child writes a file of its own, in which only this thread exists.
  Thread* thread = t_hot.thread;
  t_hot.recorder = nullptr;
  __heddle_segment = 0;
  g_output.Forget();
  if (!StartTrace(g_path) || thread == nullptr) return;
  ForgetNodes(thread);
  ThreadBegin(thread, nullptr);
}

void ProcessEnd(int code) {
  Commit(MakeOp(Kind::ProcessExit, nullptr, nullptr, static_cast<uint64_t>(code)));
  __heddle_segment = 0;
  if (t_hot.recorder != nullptr) t_hot.recorder->Release();
  t_hot.recorder = nullptr;
  t_hot.gone = 1;
  t_hot.thread = nullptr;
  g_output.Finish();
}

// A handler may come while its thread is between reading and storing the buffer's position, so it records elsewhere.
// The caller keeps and restores the interrupted state (intercept/signal.cpp).
void SignalBegin(int number) {
  Thread* thread = t_hot.thread;
  if (thread == nullptr) return;
  t_hot.recorder = Recorder::Take(thread->number);
  if (t_hot.recorder != nullptr) Commit(MakeOp(Kind::SignalBegin, nullptr, nullptr, static_cast<uint64_t>(number)));
}

void SignalEnd(int number) {
  Thread* thread = t_hot.thread;
  if (thread == nullptr || t_hot.recorder == nullptr) return;
  Commit(MakeOp(Kind::SignalEnd, nullptr, nullptr, static_cast<uint64_t>(number)));
  t_hot.recorder->Release();
}

}  // namespace

// A live reader waits for every number, so this one is published as well, although nothing happened.
void RenewSegment() {
  if (g_options.live) {
    if (t_hot.in_runtime != 0) return;  // what is accessed now is not recorded
    RuntimeScope scope;
    Commit(MakeOp(Kind::Skip, nullptr, nullptr));
    return;
  }
  NewSegment(g_sequence.fetch_add(1, std::memory_order_acq_rel) + 1);
}

bool StartTrace(const char* path) {
  g_path = path;
  if (!StartFilter() || !g_output.Create(path)) return false;
  if (!FilterIsInline()) {  // then nothing has looked before the call
    for (int i = 0; i < 5; ++i) {
      g_access.fresh_read[i] = g_access.read[i];
      g_access.fresh_write[i] = g_access.write[i];
    }
  }
  WriteProcessText();
  return true;
}

const Hooks kTraceHooks = {
    .commit = Commit,
    .amend = Amend,
    .blocked = Blocked,
    .atomic_enter = AtomicEnter,
    .atomic_leave = AtomicLeave,
    .atomic_need = nullptr,
    .atomic_choose = nullptr,
    .thread_begin = ThreadBegin,
    .thread_end = ThreadEnd,
    .thread_name = WriteNameText,
    .fork_before = ForkBefore,
    .fork_after = ForkAfter,
    .modules_changed = WriteModulesText,
    .process_end = ProcessEnd,
    .signal_begin = SignalBegin,
    .signal_end = SignalEnd,
};

}  // namespace heddle::rt
