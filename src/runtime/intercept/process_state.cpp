// Calls through which threads can tell each other something without memory or locks that heddle watches: numbers of
// thread-specific keys, what a descriptor is, the value of a semaphore. Their order matters, so they are visible
// operations.
#include <fcntl.h>

#include <cstdarg>

#include "runtime/control/turn/in_turn.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

bool Uncontrolled() { return Passive() || !control::Controlled(); }

template <typename Call>
int Ordered(const void* pc, Call call) {
  return control::CallInTurn(heddle::sched::kCall, 0, pc, call);
}

int Fcntl(const char* name, int fd, int command, void* argument, const void* pc) {
  using Real = int(int, int, ...);
  auto* real = reinterpret_cast<Real*>(FindNext(name));
  auto call = [&] { return real(fd, command, argument); };
  // One that may wait for a lock of the file has to be performed by itself.
  bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
  return waits || Uncontrolled() ? call() : Ordered(pc, call);
}

}  // namespace

HEDDLE_INTERCEPT int pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) noexcept {
  using Real = int(pthread_key_t*, void (*)(void*));
  static auto* const real = reinterpret_cast<Real*>(FindNext("pthread_key_create"));
  if (Uncontrolled()) return real(key, destroy);
  return Ordered(HEDDLE_PC, [&] { return real(key, destroy); });
}
HEDDLE_INTERCEPT int pthread_key_delete(pthread_key_t key) noexcept {
  using Real = int(pthread_key_t);
  static auto* const real = reinterpret_cast<Real*>(FindNext("pthread_key_delete"));
  if (Uncontrolled()) return real(key);
  return Ordered(HEDDLE_PC, [&] { return real(key); });
}

HEDDLE_INTERCEPT int sem_getvalue(sem_t* sem, int* value) noexcept {
  using Real = int(sem_t*, int*);
  static auto* const real = reinterpret_cast<Real*>(FindNext("sem_getvalue"));
  if (Uncontrolled()) return real(sem, value);
  control::Point point = control::PointOf(heddle::sched::kAccess, reinterpret_cast<uint64_t>(sem), HEDDLE_PC);
  point.writes = false;
  control::Take(point);
  int result = real(sem, value);
  control::Done(Outcome::Success, true);
  return result;
}

HEDDLE_INTERCEPT int fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return Fcntl("fcntl", fd, command, argument, HEDDLE_PC);
}
HEDDLE_INTERCEPT int fcntl64(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return Fcntl("fcntl64", fd, command, argument, HEDDLE_PC);
}
