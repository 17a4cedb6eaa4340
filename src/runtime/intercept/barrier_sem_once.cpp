// Barriers, semaphores, and initialisation that happens once.
#include "runtime/control/search/explore.h"
#include "runtime/control/search/gaps.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/peek.h"
#include "runtime/control/turn/waits.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace {

int ErrorOf(int result) { return result == 0 ? 0 : errno; }

int FromError(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

Op SemOp(Kind kind, const sem_t* sem, Manner manner, const void* pc) {
  Op op = MakeOp(kind, sem, pc);
  op.detail = static_cast<uint8_t>(manner);
  return op;
}

template <typename Call>
int SemWait(sem_t* sem, Manner manner, const void* pc, Call wait, clockid_t clock = CLOCK_REALTIME,
            const timespec* until = nullptr) {
  // A wait acts on cancellation even when there is something to take (under control: in its turn).
  if (!control::Controlled()) pthread_testcancel();
  int before = errno;
  auto try_now = [&] {
    int error = ErrorOf(REAL(sem_trywait)(sem));
    errno = before;  // our attempt is not the program's
    return error;
  };
  auto wait_now = [&] { return ErrorOf(wait()); };
  Op op = SemOp(Kind::SemWait, sem, manner, pc);
  if (!control::On()) return FromError(Acquire(op, try_now, wait_now));
  control::WaitHow how{control::SemFree, sem, nullptr, until, clock, true, true};
  return FromError(control::AcquireInTurn(op, try_now, wait_now, how));
}

// Under control the scheduler is the barrier.
int BarrierInTurn(pthread_barrier_t* barrier, const void* pc, bool unused) {
  auto address = reinterpret_cast<uint64_t>(barrier);
  Op enter = MakeOp(Kind::BarrierEnter, barrier, pc);
  detect::CheckObject(enter);
  control::Point arrives = control::PointOf(enter);
  arrives.unused = unused;
  control::Take(arrives);
  g_hooks.commit(enter);
  if (!control::IsBarrier(address)) control::NoteSharedGap("a barrier is used that is not initialised");
  control::Arrival arrival = control::ArriveAtBarrier(address);
  control::SetStepArgument(arrival.round);
  control::Done();
  Op exit = MakeOp(Kind::BarrierExit, barrier, pc, arrival.last ? 1 : 0);
  struct Round {
    uint64_t address;
    uint64_t round;
  } round{address, arrival.round};
  control::Point point = control::PointOf(exit);
  point.arg = arrival.round;
  point.ready = [](const void* context) {
    const auto* given = static_cast<const Round*>(context);
    return control::BarrierOpen(given->address, given->round);
  };
  point.context = &round;
  control::Take(point);
  while (!control::BarrierOpen(address, arrival.round)) control::Block(address);
  g_hooks.commit(exit);
  control::Done();
  return arrival.last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

// `unused`: the caller does not look at the result.
int BarrierWait(pthread_barrier_t* barrier, const void* pc, bool unused) {
  if (control::Controlled()) return BarrierInTurn(barrier, pc, unused);
  Commit(MakeOp(Kind::BarrierEnter, barrier, pc));
  int result = REAL(pthread_barrier_wait)(barrier);
  bool serial = result == PTHREAD_BARRIER_SERIAL_THREAD;
  Op op = MakeOp(Kind::BarrierExit, barrier, pc, serial ? 1 : 0);
  op.result = static_cast<uint8_t>(OutcomeOf(serial ? 0 : result));
  Commit(op);
  return result;
}

// Under control: waits until no other thread is inside, in a turn of its own. The step says who goes first.
void EnterOnce(const void* control, const void* pc, bool (*is_free)(const void*)) {
  control::Point point = control::PointOf(sched::kOnceEnter, reinterpret_cast<uint64_t>(control), pc);
  point.ready = is_free;
  point.context = control;
  control::Take(point);
  while (!is_free(control)) control::Block(point.address);
}

// The one inside has come out.
void LeaveOnce(const void* control, const void* pc) {
  control::Take(control::PointOf(sched::kOnceEnter, reinterpret_cast<uint64_t>(control), pc));
  control::Wake(reinterpret_cast<uint64_t>(control));
  control::Done();
}

// The routine that this thread's innermost pthread_once should run, and whether it did.
struct OnceCall {
  void (*routine)();
  const void* control;
  const void* pc;
  bool ran;
  OnceCall* outer;
  bool in_turn = false;
};
thread_local OnceCall* t_once __attribute__((tls_model("initial-exec"))) = nullptr;

void RunOnce() {
  OnceCall* call = t_once;
  t_once = call->outer;  // before the routine, which may throw
  call->ran = true;
  Commit(MakeOp(Kind::OnceBegin, call->control, call->pc));
  if (call->in_turn) control::Done();
  {
    OnBehalfOf nobody(nullptr);
    call->routine();
  }
  Commit(MakeOp(Kind::OnceEnd, call->control, call->pc));
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

HEDDLE_INTERCEPT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                          unsigned count) noexcept {
  if (Passive()) return REAL(pthread_barrier_init)(barrier, attributes, count);
  if (control::On() && count > 0) control::MakeBarrier(reinterpret_cast<uint64_t>(barrier), count);
  return Observe(MakeOp(Kind::BarrierInit, barrier, HEDDLE_PC, count),
                 [&] { return REAL(pthread_barrier_init)(barrier, attributes, count); });
}
HEDDLE_INTERCEPT int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  if (Passive()) return REAL(pthread_barrier_destroy)(barrier);
  if (control::On()) {
    return Release(MakeOp(Kind::BarrierDestroy, barrier, HEDDLE_PC), [&] {
      control::ForgetBarrier(reinterpret_cast<uint64_t>(barrier));
      return REAL(pthread_barrier_destroy)(barrier);
    });
  }
  return Release(MakeOp(Kind::BarrierDestroy, barrier, HEDDLE_PC),
                 [&] { return REAL(pthread_barrier_destroy)(barrier); });
}
HEDDLE_INTERCEPT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  if (Passive()) return REAL(pthread_barrier_wait)(barrier);
  return BarrierWait(barrier, HEDDLE_PC, false);
}
// The pass plugin puts this one where the result is not used (instrument/pass/unused_results.h).
HEDDLE_INTERCEPT int __heddle_barrier_wait(pthread_barrier_t* barrier) {
  if (Passive()) return REAL(pthread_barrier_wait)(barrier);
  return BarrierWait(barrier, HEDDLE_PC, true);
}

HEDDLE_INTERCEPT int sem_init(sem_t* sem, int shared, unsigned value) noexcept {
  if (Passive()) return REAL(sem_init)(sem, shared, value);
  return FromError(Observe(MakeOp(Kind::SemInit, sem, HEDDLE_PC, value),
                           [&] { return ErrorOf(REAL(sem_init)(sem, shared, value)); }));
}
HEDDLE_INTERCEPT int sem_destroy(sem_t* sem) noexcept {
  if (Passive()) return REAL(sem_destroy)(sem);
  return FromError(Release(MakeOp(Kind::SemDestroy, sem, HEDDLE_PC), [&] { return ErrorOf(REAL(sem_destroy)(sem)); }));
}
HEDDLE_INTERCEPT int sem_post(sem_t* sem) noexcept {
  if (Passive()) return REAL(sem_post)(sem);
  return FromError(Release(MakeOp(Kind::SemPost, sem, HEDDLE_PC), [&] { return ErrorOf(REAL(sem_post)(sem)); }));
}
HEDDLE_INTERCEPT int sem_wait(sem_t* sem) {
  if (Passive()) return REAL(sem_wait)(sem);
  return SemWait(sem, Manner::Block, HEDDLE_PC, [&] { return REAL(sem_wait)(sem); });
}
HEDDLE_INTERCEPT int sem_trywait(sem_t* sem) noexcept {
  HEDDLE_WATCH_LOOP();
  if (Passive()) return REAL(sem_trywait)(sem);
  return FromError(
      Observe(SemOp(Kind::SemWait, sem, Manner::Try, HEDDLE_PC), [&] { return ErrorOf(REAL(sem_trywait)(sem)); }));
}
HEDDLE_INTERCEPT int sem_timedwait(sem_t* sem, const timespec* until) {
  if (Passive()) return REAL(sem_timedwait)(sem, until);
  return SemWait(sem, Manner::Timed, HEDDLE_PC, [&] { return REAL(sem_timedwait)(sem, until); }, CLOCK_REALTIME, until);
}
HEDDLE_INTERCEPT int sem_clockwait(sem_t* sem, clockid_t clock, const timespec* until) {
  if (Passive()) return REAL(sem_clockwait)(sem, clock, until);
  return SemWait(sem, Manner::Timed, HEDDLE_PC, [&] { return REAL(sem_clockwait)(sem, clock, until); }, clock, until);
}

HEDDLE_INTERCEPT int pthread_once(pthread_once_t* control, void (*routine)()) {
  if (Passive()) return REAL(pthread_once)(control, routine);
  OnceCall call{routine, control, HEDDLE_PC, false, t_once};
  t_once = &call;
  // Under control the turn is kept until others can see that the routine is under way (RunOnce), or that it was done.
  call.in_turn = control::Controlled();
  if (call.in_turn) EnterOnce(control, HEDDLE_PC, control::OnceFree);
  int error = REAL(pthread_once)(control, RunOnce);
  if (!call.ran) {
    t_once = call.outer;
    Commit(MakeOp(Kind::OncePass, control, HEDDLE_PC));
    if (call.in_turn) control::Done();
  } else if (call.in_turn) {
    LeaveOnce(control, HEDDLE_PC);
  }
  return error;
}

// Function-local statics. The guard's own atomics are in libstdc++, which the compiler did not instrument. The
// functions are libstdc++'s and absent in C programs, unless one loads a plugin that is in C++.
static int (*RealGuardAcquire())(void*) {
  static auto real = reinterpret_cast<int (*)(void*)>(FindCxx("__cxa_guard_acquire"));
  return real;
}
static void (*RealGuardRelease())(void*) {
  static auto real = reinterpret_cast<void (*)(void*)>(FindCxx("__cxa_guard_release"));
  return real;
}
static void (*RealGuardAbort())(void*) {
  static auto real = reinterpret_cast<void (*)(void*)>(FindCxx("__cxa_guard_abort"));
  return real;
}

HEDDLE_INTERCEPT int __cxa_guard_acquire(void* guard) {
  bool passive = Passive();
  bool in_turn = !passive && control::Controlled();
  if (in_turn) EnterOnce(guard, HEDDLE_PC, control::GuardFree);
  int mine = RealGuardAcquire()(guard);
  if (!passive) Commit(MakeOp(mine != 0 ? Kind::OnceBegin : Kind::OncePass, guard, HEDDLE_PC));
  if (in_turn) control::Done();
  return mine;
}
// In a turn: the check that the compiler put before the call sees the guard as an atomic.
static void LeaveGuard(void* guard, Outcome outcome, void (*real)(void*), const void* pc) {
  if (Passive()) return real(guard);
  bool in_turn = control::Controlled();
  if (in_turn) {
    control::Take(control::PointOf(heddle::sched::kOnceEnter, reinterpret_cast<uint64_t>(guard), pc));
  }
  Op op = MakeOp(Kind::OnceEnd, guard, pc);
  op.result = static_cast<uint8_t>(outcome);
  Commit(op);
  real(guard);
  if (!in_turn) return;
  control::Wake(reinterpret_cast<uint64_t>(guard));
  control::Done();
}
HEDDLE_INTERCEPT void __cxa_guard_release(void* guard) {
  LeaveGuard(guard, Outcome::Success, RealGuardRelease(), HEDDLE_PC);
}
HEDDLE_INTERCEPT void __cxa_guard_abort(void* guard) { LeaveGuard(guard, Outcome::Error, RealGuardAbort(), HEDDLE_PC); }
