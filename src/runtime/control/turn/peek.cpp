#include "runtime/control/turn/peek.h"

#include <linux/futex.h>

#include "runtime/control/search/gaps.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/libc/real.h"

namespace heddle::rt::control {
namespace {

// pthread_rwlock_t::__readers (glibc 2.25 and later).
constexpr unsigned kWritePhase = 1;
constexpr unsigned kWriteLocked = 2;
constexpr unsigned kReaderShift = 3;

constexpr int kKindMask = 3;      // of pthread_mutex_t::__kind: normal, recursive, error checking, adaptive
constexpr int kKnownBits = 1023;  // with those for robust, inheriting, protecting, shared and elided ones

const LockPeek* Given(const void* peek) { return static_cast<const LockPeek*>(peek); }
const pthread_mutex_t* MutexOf(const void* peek) { return static_cast<const pthread_mutex_t*>(Given(peek)->lock); }
const pthread_rwlock_t* RwLockOf(const void* peek) { return static_cast<const pthread_rwlock_t*>(Given(peek)->lock); }
unsigned Readers(const void* peek) { return __atomic_load_n(&RwLockOf(peek)->__data.__readers, __ATOMIC_RELAXED); }

bool WritersFirst(const pthread_rwlock_t* lock) {
  return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

bool WriterWaits(const pthread_rwlock_t* lock) {
  if (!WritersFirst(lock)) return false;
  bool waits = false;
  ForEachLive(
      [&](const ControlThread* thread) { waits = waits || thread->wants_write == reinterpret_cast<uint64_t>(lock); });
  return waits;
}

}  // namespace

void QueueToWrite(const pthread_rwlock_t* lock, bool timed, const void* pc) {
  if (!Controlled() || !WritersFirst(lock)) return;
  LockPeek peek = PeekAt(lock);
  if (RwLockFails(&peek)) return;
  if (timed) return NoteSharedGap("a writer waits with a limit at a lock that prefers writers");
  Take(PointOf(sched::kWantWrite, reinterpret_cast<uint64_t>(lock), pc));
  Self()->wants_write = reinterpret_cast<uint64_t>(lock);
  Done();
}

int TryRead(pthread_rwlock_t* lock) {
  if (Controlled() && WriterWaits(lock)) return EBUSY;
  return REAL(pthread_rwlock_tryrdlock)(lock);
}

int TryWrite(pthread_rwlock_t* lock) {
  int error = REAL(pthread_rwlock_trywrlock)(lock);
  if (error == 0 && Controlled()) Self()->wants_write = 0;
  return error;
}

// A fiber's kernel id is not what gettid says, so glibc is asked: it writes the id into a mutex that it locks.
LockPeek PeekAt(const void* lock) {
  ControlThread* self = Self();
  if (self == nullptr) return {lock, 0};
  if (self->libc_id == 0) {
    pthread_mutex_t probe = PTHREAD_MUTEX_INITIALIZER;
    REAL(pthread_mutex_lock)(&probe);
    self->libc_id = probe.__data.__owner;
    REAL(pthread_mutex_unlock)(&probe);
  }
  return {lock, self->libc_id};
}

bool MutexFree(const void* peek) {
  const auto& mutex = MutexOf(peek)->__data;
  if ((mutex.__kind & ~kKnownBits) != 0) return true;  // destroyed or never made: libc refuses it at once
  unsigned word = static_cast<unsigned>(__atomic_load_n(&mutex.__lock, __ATOMIC_RELAXED));
  if ((word & FUTEX_TID_MASK) == 0 || (word & FUTEX_OWNER_DIED) != 0) return true;
  return mutex.__owner == Given(peek)->thread && (mutex.__kind & kKindMask) != PTHREAD_MUTEX_NORMAL;
}

bool MutexFails(const void* peek) {
  const auto& mutex = MutexOf(peek)->__data;
  return mutex.__owner == Given(peek)->thread && (mutex.__kind & kKindMask) == PTHREAD_MUTEX_ERRORCHECK;
}

bool RwLockFails(const void* peek) { return RwLockOf(peek)->__data.__cur_writer == Given(peek)->thread; }

bool SpinFree(const void* lock) { return __atomic_load_n(static_cast<const int*>(lock), __ATOMIC_RELAXED) > 0; }

bool ReadFree(const void* peek) {
  unsigned readers = Readers(peek);
  if (WriterWaits(RwLockOf(peek))) return false;
  if ((readers & kWriteLocked) == 0 || RwLockFails(peek)) return true;
  return (readers & kWritePhase) == 0 && !WritersFirst(RwLockOf(peek));
}

bool WriteFree(const void* peek) {
  unsigned readers = Readers(peek);
  if (RwLockFails(peek)) return true;
  return (readers & kWriteLocked) == 0 && (readers >> kReaderShift == 0 || (readers & kWritePhase) != 0);
}

bool SemFree(const void* sem) {
  int value = 0;
  sem_getvalue(static_cast<sem_t*>(const_cast<void*>(sem)), &value);
  return value > 0;
}

bool OnceFree(const void* control) {
  return (__atomic_load_n(static_cast<const int*>(control), __ATOMIC_RELAXED) & 3) != 1;
}

bool GuardFree(const void* guard) {
  constexpr int kDone = 1;
  constexpr int kPending = 0x100;
  int word = __atomic_load_n(static_cast<const int*>(guard), __ATOMIC_RELAXED);
  return (word & kDone) != 0 || (word & kPending) == 0;
}

}  // namespace heddle::rt::control
