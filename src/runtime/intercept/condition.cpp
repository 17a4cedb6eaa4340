// Condition variables. A wait is two visible operations: CondWait gives the mutex back, CondWake has it again.
#include "runtime/intercept/real.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace {

// The thread was cancelled inside the wait: it has the mutex again, and its clean-up handlers will run.
void WakeByCancellation(void* op) {
  auto* wake = static_cast<Op*>(op);
  wake->result = static_cast<uint8_t>(Outcome::Error);
  Commit(*wake);
}

template <typename Call>
int Wait(const void* cond, const void* mutex, Manner manner, const void* pc, Call call) {
  Op wait = MakeOp(Kind::CondWait, cond, pc, reinterpret_cast<uint64_t>(mutex));
  wait.detail = static_cast<uint8_t>(manner);
  Commit(wait);
  Op wake = MakeOp(Kind::CondWake, cond, pc, reinterpret_cast<uint64_t>(mutex));
  int error = 0;
  pthread_cleanup_push(WakeByCancellation, &wake);
  error = call();
  pthread_cleanup_pop(0);
  wake.result = static_cast<uint8_t>(OutcomeOf(error));
  Commit(wake);
  return error;
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

HEDDLE_INTERCEPT int pthread_cond_init(pthread_cond_t* cond, const pthread_condattr_t* attributes) noexcept {
  if (Passive()) return REAL(pthread_cond_init)(cond, attributes);
  return Observe(MakeOp(Kind::CondInit, cond, HEDDLE_PC), [&] { return REAL(pthread_cond_init)(cond, attributes); });
}
HEDDLE_INTERCEPT int pthread_cond_destroy(pthread_cond_t* cond) noexcept {
  if (Passive()) return REAL(pthread_cond_destroy)(cond);
  return Release(MakeOp(Kind::CondDestroy, cond, HEDDLE_PC), [&] { return REAL(pthread_cond_destroy)(cond); });
}
HEDDLE_INTERCEPT int pthread_cond_signal(pthread_cond_t* cond) noexcept {
  if (Passive()) return REAL(pthread_cond_signal)(cond);
  return Release(MakeOp(Kind::CondSignal, cond, HEDDLE_PC), [&] { return REAL(pthread_cond_signal)(cond); });
}
HEDDLE_INTERCEPT int pthread_cond_broadcast(pthread_cond_t* cond) noexcept {
  if (Passive()) return REAL(pthread_cond_broadcast)(cond);
  return Release(MakeOp(Kind::CondBroadcast, cond, HEDDLE_PC), [&] { return REAL(pthread_cond_broadcast)(cond); });
}
// Not noexcept: cancellation unwinds through these.
HEDDLE_INTERCEPT int pthread_cond_wait(pthread_cond_t* cond, pthread_mutex_t* mutex) {
  if (Passive()) return REAL(pthread_cond_wait)(cond, mutex);
  return Wait(cond, mutex, Manner::Block, HEDDLE_PC, [&] { return REAL(pthread_cond_wait)(cond, mutex); });
}
HEDDLE_INTERCEPT int pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex, const timespec* until) {
  if (Passive()) return REAL(pthread_cond_timedwait)(cond, mutex, until);
  return Wait(cond, mutex, Manner::Timed, HEDDLE_PC, [&] { return REAL(pthread_cond_timedwait)(cond, mutex, until); });
}
HEDDLE_INTERCEPT int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                                            const timespec* until) {
  if (Passive()) return REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
  return Wait(cond, mutex, Manner::Timed, HEDDLE_PC,
              [&] { return REAL(pthread_cond_clockwait)(cond, mutex, clock, until); });
}
