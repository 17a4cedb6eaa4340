// Calls through which threads can tell each other something without memory or locks that heddle watches: numbers of
// thread-specific keys, what a descriptor is, the value of a semaphore. Their order matters, so they are visible
// operations.
#include <fcntl.h>

#include <cstdarg>

#include "runtime/control/search/explore.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/in_turn.h"
#include "runtime/intercept/at_thread_exit.h"
#include "runtime/intercept/away.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

template <typename Call>
int Ordered(const void* pc, Call call) {
  return control::CallInTurn(heddle::sched::kCall, 0, pc, call);
}

// What it returns depends on what the descriptor is, or on other processes.
bool IsAnswer(int command) {
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
    case F_GETFD:
    case F_SETFD:
    case F_SETFL:
      return false;
    default:
      return true;
  }
}

int Fcntl(const char* name, int fd, int command, void* argument, const void* pc) {
  using Real = int(int, int, ...);
  auto* real = reinterpret_cast<Real*>(FindNext(name));
  auto call = [&] { return real(fd, command, argument); };
  // One that may wait for a lock of the file has to be performed by itself.
  bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
  if (Uncontrolled()) return call();
  if (!IsAnswer(command)) return waits ? call() : Ordered(pc, call);
  bool fills = command == F_GETLK || command == F_OFD_GETLK;
  auto kept = [&] {
    return static_cast<int>(
        KeptInTurn(control::DemoCall::kOutside, fills ? argument : nullptr, sizeof(struct flock), call));
  };
  return waits ? Away(pc, kept) : Ordered(pc, kept);
}

}  // namespace

HEDDLE_INTERCEPT int pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) noexcept {
  using Real = int(pthread_key_t*, void (*)(void*));
  static auto* const real = reinterpret_cast<Real*>(FindNext("pthread_key_create"));
  destroy = AtThreadExit(destroy, HEDDLE_PC);
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
  HEDDLE_WATCH_LOOP();
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
