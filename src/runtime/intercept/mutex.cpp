// Mutexes, spin locks and read-write locks.
#include "runtime/control/search/explore.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/peek.h"
#include "runtime/detect/locks.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace {

Op LockOp(Kind kind, const volatile void* object, LockClass lock_class, bool shared, Manner manner, const void* pc) {
  Op op = MakeOp(kind, object, pc);
  op.detail = LockDetail{lock_class, shared, manner}.Pack();
  return op;
}

// PTHREAD_MUTEX_* of an attribute; the default when there is none.
uint64_t MutexKind(const pthread_mutexattr_t* attributes) {
  int kind = PTHREAD_MUTEX_DEFAULT;
  if (attributes != nullptr) pthread_mutexattr_gettype(attributes, &kind);
  return static_cast<uint64_t>(kind);
}

bool IsRobust(const pthread_mutexattr_t* attributes) {
  int robust = PTHREAD_MUTEX_STALLED;
  if (attributes != nullptr) pthread_mutexattr_getrobust(attributes, &robust);
  return robust == PTHREAD_MUTEX_ROBUST;
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

// A robust mutex whose owner died is handed over with EOWNERDEAD: the lock is held all the same.
static int Held(int error) { return error == EOWNERDEAD ? 0 : error; }

// How a lock waits under control. Used within the expression that makes the peek.
static control::WaitHow HowFor(bool (*ready)(const void*), const void* object, clockid_t clock = CLOCK_REALTIME,
                               const timespec* until = nullptr) {
  control::WaitHow how;
  how.ready = ready;
  how.context = object;
  how.clock = clock;
  how.until = until;
  return how;
}
static control::WaitHow HowFor(bool (*ready)(const void*), bool (*fails)(const void*), const control::LockPeek& peek,
                               clockid_t clock = CLOCK_REALTIME, const timespec* until = nullptr) {
  control::WaitHow how = HowFor(ready, &peek, clock, until);
  how.fails = fails;
  return how;
}

// A lock that may wait: `try_call` and `wait_call` are real calls on `object`.
#define HEDDLE_LOCK(lock_class, shared, manner, try_call, wait_call, how)                                  \
  HEDDLE_WATCH_LOOP();                                                                                     \
  if (Passive()) return wait_call;                                                                         \
  int dead = 0;                                                                                            \
  auto note = [&dead](int error) {                                                                         \
    dead = error == EOWNERDEAD ? error : 0;                                                                \
    return Held(error);                                                                                    \
  };                                                                                                       \
  Op op = LockOp(Kind::Lock, object, lock_class, shared, manner, HEDDLE_PC);                               \
  auto try_now = [&] { return note(try_call); };                                                           \
  auto wait = [&] { return note(wait_call); };                                                             \
  int error = control::On() ? control::AcquireInTurn(op, try_now, wait, how) : Acquire(op, try_now, wait); \
  return error == 0 ? dead : error;

#define HEDDLE_TRIED(lock_class, shared, call) \
  HEDDLE_WATCH_LOOP();                         \
  HEDDLE_OBSERVED(Kind::Lock, lock_class, shared, Manner::Try, call)

#define HEDDLE_OBSERVED(kind, lock_class, shared, manner, call) \
  if (Passive()) return call;                                   \
  return Observe(LockOp(kind, object, lock_class, shared, manner, HEDDLE_PC), [&] { return call; });

#define HEDDLE_RELEASED(kind, lock_class, call) \
  if (Passive()) return call;                   \
  return Release(LockOp(kind, object, lock_class, false, Manner::Block, HEDDLE_PC), [&] { return call; });

HEDDLE_INTERCEPT int pthread_mutex_init(pthread_mutex_t* object, const pthread_mutexattr_t* attributes) noexcept {
  if (Passive()) return REAL(pthread_mutex_init)(object, attributes);
  Op op = LockOp(Kind::LockInit, object, LockClass::Mutex, false, Manner::Block, HEDDLE_PC);
  op.arg = MutexKind(attributes);
  op.arg2 = IsRobust(attributes) ? detect::kRobustLock : 0;
  return Observe(op, [&] { return REAL(pthread_mutex_init)(object, attributes); });
}
HEDDLE_INTERCEPT int pthread_mutex_destroy(pthread_mutex_t* object) noexcept {
    HEDDLE_RELEASED(Kind::LockDestroy, LockClass::Mutex, REAL(pthread_mutex_destroy)(object))} HEDDLE_INTERCEPT
    int pthread_mutex_lock(pthread_mutex_t* object) noexcept {
        HEDDLE_LOCK(LockClass::Mutex, false, Manner::Block, REAL(pthread_mutex_trylock)(object),
                    REAL(pthread_mutex_lock)(object),
                    HowFor(control::MutexFree, control::MutexFails, control::PeekAt(object)))} HEDDLE_INTERCEPT
    int pthread_mutex_trylock(pthread_mutex_t* object) noexcept {
        HEDDLE_TRIED(LockClass::Mutex, false, REAL(pthread_mutex_trylock)(object))} HEDDLE_INTERCEPT
    int pthread_mutex_timedlock(pthread_mutex_t* object, const timespec* until) noexcept {
        HEDDLE_LOCK(LockClass::Mutex, false, Manner::Timed, REAL(pthread_mutex_trylock)(object),
                    REAL(pthread_mutex_timedlock)(object, until),
                    HowFor(control::MutexFree, control::MutexFails, control::PeekAt(object), CLOCK_REALTIME,
                           until))} HEDDLE_INTERCEPT
    int pthread_mutex_clocklock(pthread_mutex_t* object, clockid_t clock, const timespec* until) noexcept {
        HEDDLE_LOCK(LockClass::Mutex, false, Manner::Timed, REAL(pthread_mutex_trylock)(object),
                    REAL(pthread_mutex_clocklock)(object, clock, until),
                    HowFor(control::MutexFree, control::MutexFails, control::PeekAt(object), clock,
                           until))} HEDDLE_INTERCEPT int pthread_mutex_unlock(pthread_mutex_t* object) noexcept {
        HEDDLE_RELEASED(Kind::Unlock, LockClass::Mutex, REAL(pthread_mutex_unlock)(object))}

HEDDLE_INTERCEPT int pthread_spin_init(pthread_spinlock_t* object, int shared_by) noexcept {
    HEDDLE_OBSERVED(Kind::LockInit, LockClass::Spin, false, Manner::Block,
                    REAL(pthread_spin_init)(object, shared_by))} HEDDLE_INTERCEPT
    int pthread_spin_destroy(pthread_spinlock_t* object) noexcept {
        HEDDLE_RELEASED(Kind::LockDestroy, LockClass::Spin, REAL(pthread_spin_destroy)(object))} HEDDLE_INTERCEPT
    int pthread_spin_lock(pthread_spinlock_t* object) noexcept {
        HEDDLE_LOCK(LockClass::Spin, false, Manner::Block, REAL(pthread_spin_trylock)(object),
                    REAL(pthread_spin_lock)(object),
                    HowFor(control::SpinFree, const_cast<const int*>(object)))} HEDDLE_INTERCEPT
    int pthread_spin_trylock(pthread_spinlock_t* object) noexcept {
        HEDDLE_TRIED(LockClass::Spin, false, REAL(pthread_spin_trylock)(object))} HEDDLE_INTERCEPT
    int pthread_spin_unlock(pthread_spinlock_t* object) noexcept {
        HEDDLE_RELEASED(Kind::Unlock, LockClass::Spin, REAL(pthread_spin_unlock)(object))}

HEDDLE_INTERCEPT int pthread_rwlock_init(pthread_rwlock_t* object, const pthread_rwlockattr_t* attributes) noexcept {
    HEDDLE_OBSERVED(Kind::LockInit, LockClass::RwLock, false, Manner::Block,
                    REAL(pthread_rwlock_init)(object, attributes))} HEDDLE_INTERCEPT
    int pthread_rwlock_destroy(pthread_rwlock_t* object) noexcept {
        HEDDLE_RELEASED(Kind::LockDestroy, LockClass::RwLock, REAL(pthread_rwlock_destroy)(object))} HEDDLE_INTERCEPT
    int pthread_rwlock_rdlock(pthread_rwlock_t* object) noexcept {
        HEDDLE_LOCK(LockClass::RwLock, true, Manner::Block, control::TryRead(object),
                    REAL(pthread_rwlock_rdlock)(object),
                    HowFor(control::ReadFree, control::RwLockFails, control::PeekAt(object)))} HEDDLE_INTERCEPT
    int pthread_rwlock_tryrdlock(pthread_rwlock_t* object) noexcept {
        HEDDLE_TRIED(LockClass::RwLock, true, control::TryRead(object))} HEDDLE_INTERCEPT
    int pthread_rwlock_timedrdlock(pthread_rwlock_t* object, const timespec* until) noexcept {
        HEDDLE_LOCK(LockClass::RwLock, true, Manner::Timed, control::TryRead(object),
                    REAL(pthread_rwlock_timedrdlock)(object, until),
                    HowFor(control::ReadFree, control::RwLockFails, control::PeekAt(object), CLOCK_REALTIME,
                           until))} HEDDLE_INTERCEPT
    int pthread_rwlock_clockrdlock(pthread_rwlock_t* object, clockid_t clock, const timespec* until) noexcept {
        HEDDLE_LOCK(LockClass::RwLock, true, Manner::Timed, control::TryRead(object),
                    REAL(pthread_rwlock_clockrdlock)(object, clock, until),
                    HowFor(control::ReadFree, control::RwLockFails, control::PeekAt(object), clock,
                           until))} HEDDLE_INTERCEPT int pthread_rwlock_wrlock(pthread_rwlock_t* object) noexcept {
  if (!Passive()) control::QueueToWrite(object, false, HEDDLE_PC);
  HEDDLE_LOCK(LockClass::RwLock, false, Manner::Block, control::TryWrite(object), REAL(pthread_rwlock_wrlock)(object),
              HowFor(control::WriteFree, control::RwLockFails, control::PeekAt(object)))
}
HEDDLE_INTERCEPT
int pthread_rwlock_trywrlock(pthread_rwlock_t* object) noexcept {
    HEDDLE_TRIED(LockClass::RwLock, false, REAL(pthread_rwlock_trywrlock)(object))} HEDDLE_INTERCEPT
    int pthread_rwlock_timedwrlock(pthread_rwlock_t* object, const timespec* until) noexcept {
  if (!Passive()) control::QueueToWrite(object, true, HEDDLE_PC);
  HEDDLE_LOCK(LockClass::RwLock, false, Manner::Timed, control::TryWrite(object),
              REAL(pthread_rwlock_timedwrlock)(object, until),
              HowFor(control::WriteFree, control::RwLockFails, control::PeekAt(object), CLOCK_REALTIME, until))
}
HEDDLE_INTERCEPT
int pthread_rwlock_clockwrlock(pthread_rwlock_t* object, clockid_t clock, const timespec* until) noexcept {
  if (!Passive()) control::QueueToWrite(object, true, HEDDLE_PC);
  HEDDLE_LOCK(LockClass::RwLock, false, Manner::Timed, control::TryWrite(object),
              REAL(pthread_rwlock_clockwrlock)(object, clock, until),
              HowFor(control::WriteFree, control::RwLockFails, control::PeekAt(object), clock, until))
}
HEDDLE_INTERCEPT int pthread_rwlock_unlock(pthread_rwlock_t* object) noexcept {
  HEDDLE_RELEASED(Kind::Unlock, LockClass::RwLock, REAL(pthread_rwlock_unlock)(object))
}
