// Annotations that programs carry for race detectors: acquire and release, custom mutexes, what to ignore, fibers.
#include <cstring>

#include "runtime/detect/race_report.h"
#include "runtime/detect/sync_ops.h"
#include "runtime/libc/real.h"
#include "runtime/memory/pages.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

void Mark(Kind kind, const volatile void* address, const void* pc) {
  if (!Passive()) Commit(MakeOp(kind, address, pc));
}

// Flags of __tsan_mutex_*, as the public header numbers them.
constexpr unsigned kLinkerInit = 1;
constexpr unsigned kReadLock = 1U << 3U;
constexpr unsigned kTryLock = 1U << 4U;
constexpr unsigned kTryLockFailed = 1U << 5U;

void CustomLock(Kind kind, void* mutex, unsigned flags, const void* pc) {
  if (Passive()) return;
  Op op = MakeOp(kind, mutex, pc);
  Manner manner = (flags & (kTryLock | kTryLockFailed)) != 0 ? Manner::Try : Manner::Block;
  op.detail = LockDetail{LockClass::Annotated, (flags & kReadLock) != 0, manner}.Pack();
  op.arg2 = flags;
  op.result = static_cast<uint8_t>((flags & kTryLockFailed) != 0 ? Outcome::Busy : Outcome::Success);
  Commit(op);
}

void Ignore(int change, const void* pc = nullptr) {
  if (g_mode <= Mode::Off) return;
  t_hot.ignore += static_cast<uint32_t>(change);
  if (pc != nullptr && t_hot.thread != nullptr) t_hot.thread->ignore_pc = reinterpret_cast<uint64_t>(pc);
}

void IgnoreSync(int change) {
  if (g_mode != Mode::Detect || Passive()) return;
  RuntimeScope scope;
  detect::IgnoreSync(change);
}

// What happens inside a custom lock is its implementation: neither its accesses nor its atomics are the program's.
void Inside(int change) {
  Ignore(change);
  IgnoreSync(change);
}

// A fiber is a thread of its own whose hot words are parked while it does not run.
Thread* NewFiber() {
  RuntimeScope scope;
  Thread* fiber = NewThread(CurrentThread(), nullptr, nullptr);
  if (fiber == nullptr) return nullptr;
  fiber->parked = static_cast<Hot*>(MapPages(sizeof(Hot)));
  g_hooks.commit(MakeOp(Kind::ThreadFork, nullptr, nullptr, fiber->number));
  return fiber;
}

void SwitchTo(Thread* fiber) {
  Thread* from = t_hot.thread;
  if (from == fiber || from == nullptr) return;
  ++t_hot.in_runtime;
  if (from->parked == nullptr) from->parked = static_cast<Hot*>(MapPages(sizeof(Hot)));
  Hot now = t_hot;
  if (from->parked != nullptr) *from->parked = now;
  bool first = fiber->parked == nullptr || fiber->parked->thread == nullptr;
  if (first) {
    t_hot = Hot{};
    t_hot.in_runtime = now.in_runtime;
    BindThread(fiber);
    g_hooks.thread_begin(fiber, nullptr);
  } else {
    t_hot = *fiber->parked;
    t_hot.in_runtime = now.in_runtime;
  }
  --t_hot.in_runtime;
}

}  // namespace

HEDDLE_INTERCEPT void __tsan_acquire(void* at) { Mark(Kind::Acquire, at, HEDDLE_PC); }
HEDDLE_INTERCEPT void __tsan_release(void* at) { Mark(Kind::Release, at, HEDDLE_PC); }

HEDDLE_INTERCEPT void __tsan_mutex_create(void* mutex, unsigned flags) {
  CustomLock(Kind::LockInit, mutex, flags, HEDDLE_PC);
}
HEDDLE_INTERCEPT void __tsan_mutex_destroy(void* mutex, unsigned flags) {
  CustomLock(Kind::LockDestroy, mutex, flags, HEDDLE_PC);
}
HEDDLE_INTERCEPT void __tsan_mutex_pre_lock(void*, unsigned) { Inside(1); }
HEDDLE_INTERCEPT void __tsan_mutex_post_lock(void* mutex, unsigned flags, int) {
  Inside(-1);
  CustomLock(Kind::Lock, mutex, flags, HEDDLE_PC);
}
HEDDLE_INTERCEPT int __tsan_mutex_pre_unlock(void* mutex, unsigned flags) {
  CustomLock(Kind::Unlock, mutex, flags, HEDDLE_PC);
  Inside(1);
  return 1;
}
HEDDLE_INTERCEPT void __tsan_mutex_post_unlock(void*, unsigned) { Inside(-1); }
HEDDLE_INTERCEPT void __tsan_mutex_pre_signal(void*, unsigned) { Inside(1); }
HEDDLE_INTERCEPT void __tsan_mutex_post_signal(void*, unsigned) { Inside(-1); }
HEDDLE_INTERCEPT void __tsan_mutex_pre_divert(void*, unsigned) { Inside(-1); }
HEDDLE_INTERCEPT void __tsan_mutex_post_divert(void*, unsigned) { Inside(1); }

// heddle keeps no shadow memory, and locks held are for the engines to judge.
HEDDLE_INTERCEPT void __tsan_flush_memory() {}
HEDDLE_INTERCEPT void __tsan_check_no_mutexes_held() {}

HEDDLE_INTERCEPT void __tsan_ignore_thread_begin() { Ignore(1); }
HEDDLE_INTERCEPT void __tsan_ignore_thread_end() { Ignore(-1); }

HEDDLE_INTERCEPT void* __tsan_get_current_fiber() { return g_mode <= Mode::Off ? nullptr : CurrentThread(); }
HEDDLE_INTERCEPT void* __tsan_create_fiber(unsigned) { return Passive() ? nullptr : NewFiber(); }
HEDDLE_INTERCEPT void __tsan_destroy_fiber(void* fiber) {
  if (fiber == nullptr || Passive()) return;
  Thread* back = t_hot.thread;
  SwitchTo(static_cast<Thread*>(fiber));
  {
    RuntimeScope scope;
    g_hooks.thread_end(t_hot.thread);
  }
  SwitchTo(back);
  FreeThread(static_cast<Thread*>(fiber));
}
HEDDLE_INTERCEPT void __tsan_switch_to_fiber(void* fiber, unsigned flags) {
  if (fiber == nullptr || Passive()) return;
  bool ordered = (flags & 1U) == 0;
  if (ordered) Commit(MakeOp(Kind::Release, fiber, HEDDLE_PC));
  SwitchTo(static_cast<Thread*>(fiber));
  if (ordered) Commit(MakeOp(Kind::Acquire, fiber, HEDDLE_PC));
}
HEDDLE_INTERCEPT void __tsan_set_fiber_name(void* fiber, const char* name) {
  if (fiber == nullptr || Passive()) return;
  RuntimeScope scope;
  g_hooks.thread_name(static_cast<Thread*>(fiber)->number, name);
}

// Objects of other languages' libraries: their accesses count as accesses of one byte.
HEDDLE_INTERCEPT void* __tsan_external_register_tag(const char* type) { return const_cast<char*>(type); }
HEDDLE_INTERCEPT void __tsan_external_register_header(void*, const char*) {}
HEDDLE_INTERCEPT void __tsan_external_assign_tag(void*, void*) {}
HEDDLE_INTERCEPT void __tsan_external_read(void* at, void* pc, void*) { g_access.read[0](at, pc); }
HEDDLE_INTERCEPT void __tsan_external_write(void* at, void* pc, void*) { g_access.write[0](at, pc); }

// The older annotations.
HEDDLE_INTERCEPT void AnnotateHappensBefore(const char*, int, void* at) { Mark(Kind::Release, at, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotateHappensAfter(const char*, int, void* at) { Mark(Kind::Acquire, at, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotateCondVarSignal(const char*, int, void* at) { Mark(Kind::Release, at, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotateCondVarSignalAll(const char*, int, void* at) { Mark(Kind::Release, at, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotateCondVarWait(const char*, int, void* at, void*) { Mark(Kind::Acquire, at, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotateRWLockCreate(const char*, int, void* at) { CustomLock(Kind::LockInit, at, 0, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotateRWLockCreateStatic(const char*, int, void* at) {
  CustomLock(Kind::LockInit, at, kLinkerInit, HEDDLE_PC);
}
HEDDLE_INTERCEPT void AnnotateRWLockDestroy(const char*, int, void* at) {
  CustomLock(Kind::LockDestroy, at, 0, HEDDLE_PC);
}
HEDDLE_INTERCEPT void AnnotateRWLockAcquired(const char*, int, void* at, long writes) {
  CustomLock(Kind::Lock, at, writes != 0 ? 0 : kReadLock, HEDDLE_PC);
}
HEDDLE_INTERCEPT void AnnotateRWLockReleased(const char*, int, void* at, long writes) {
  CustomLock(Kind::Unlock, at, writes != 0 ? 0 : kReadLock, HEDDLE_PC);
}
HEDDLE_INTERCEPT void AnnotateIgnoreReadsBegin(const char*, int) { Ignore(1, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotateIgnoreReadsEnd(const char*, int) { Ignore(-1); }
HEDDLE_INTERCEPT void AnnotateIgnoreWritesBegin(const char*, int) { Ignore(1, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotateIgnoreWritesEnd(const char*, int) { Ignore(-1); }
HEDDLE_INTERCEPT void AnnotateNewMemory(const char*, int, void* at, size_t bytes) {
  if (!Passive()) Commit(MakeOp(Kind::Alloc, at, HEDDLE_PC, bytes));
}
HEDDLE_INTERCEPT void AnnotateThreadName(const char*, int, const char* name) {
  if (Passive() || t_hot.thread == nullptr) return;
  RuntimeScope scope;
  g_hooks.thread_name(t_hot.thread->number, name);
}
HEDDLE_INTERCEPT void AnnotateIgnoreSyncBegin(const char*, int) { IgnoreSync(1); }
HEDDLE_INTERCEPT void AnnotateIgnoreSyncEnd(const char*, int) { IgnoreSync(-1); }
HEDDLE_INTERCEPT void AnnotateBenignRaceSized(const char*, int, const volatile void* at, size_t bytes, const char*) {
  if (g_mode == Mode::Detect) detect::IsBenign(reinterpret_cast<uint64_t>(at), bytes);
}
HEDDLE_INTERCEPT void AnnotateBenignRace(const char*, int, const volatile void* at, const char*) {
  if (g_mode == Mode::Detect) detect::IsBenign(reinterpret_cast<uint64_t>(at), 1);
}
HEDDLE_INTERCEPT void WTFAnnotateBenignRaceSized(const char* file, int line, const volatile void* at, size_t bytes,
                                                 const char* why) {
  AnnotateBenignRaceSized(file, line, at, bytes, why);
}
HEDDLE_INTERCEPT void WTFAnnotateHappensBefore(const char*, int, void* at) { Mark(Kind::Release, at, HEDDLE_PC); }
HEDDLE_INTERCEPT void WTFAnnotateHappensAfter(const char*, int, void* at) { Mark(Kind::Acquire, at, HEDDLE_PC); }
// Accepted for the programs that have them; they say nothing that the trace needs.
HEDDLE_INTERCEPT void AnnotateMutexIsUsedAsCondVar(const char*, int, void*) {}
HEDDLE_INTERCEPT void AnnotateMutexIsNotPHB(const char*, int, void*) {}
HEDDLE_INTERCEPT void AnnotatePublishMemoryRange(const char*, int, void*, size_t) {}
HEDDLE_INTERCEPT void AnnotateUnpublishMemoryRange(const char*, int, void*, size_t) {}
HEDDLE_INTERCEPT void AnnotatePCQCreate(const char*, int, void*) {}
HEDDLE_INTERCEPT void AnnotatePCQDestroy(const char*, int, void*) {}
HEDDLE_INTERCEPT void AnnotatePCQPut(const char*, int, void* at) { Mark(Kind::Release, at, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotatePCQGet(const char*, int, void* at) { Mark(Kind::Acquire, at, HEDDLE_PC); }
HEDDLE_INTERCEPT void AnnotateExpectRace(const char*, int, void*, const char*) {}
HEDDLE_INTERCEPT void AnnotateFlushExpectedRaces(const char*, int) {}
HEDDLE_INTERCEPT void AnnotateTraceMemory(const char*, int, void*) {}
HEDDLE_INTERCEPT void AnnotateNoOp(const char*, int, void*) {}
HEDDLE_INTERCEPT void AnnotateFlushState(const char*, int) {}
HEDDLE_INTERCEPT void AnnotateEnableRaceDetection(const char*, int, int) {}
HEDDLE_INTERCEPT int RunningOnValgrind() { return 0; }
HEDDLE_INTERCEPT double ValgrindSlowdown() { return 10; }
HEDDLE_INTERCEPT const char* ThreadSanitizerQuery(const char*) { return "0"; }
