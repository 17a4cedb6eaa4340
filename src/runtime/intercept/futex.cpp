#include "runtime/intercept/futex.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime/control/carrier/carrier.h"
#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/processes.h"
#include "runtime/control/search/c11.h"
#include "runtime/control/search/gaps.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/waits.h"
#include "runtime/raw_syscall.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace {

int FutexCommand(long operation) { return static_cast<int>(operation) & FUTEX_CMD_MASK; }

bool WasWoken(const void* thread) {
  return control::CanStopWaiting(static_cast<const control::ControlThread*>(thread));
}

// A futex wait under control: the first turn compares, the second comes when the thread was woken.
long FutexWaitInTurn(long address, int command, long value, const timespec* timeout, bool real_clock, const void* pc) {
  auto* where = reinterpret_cast<const uint32_t*>(address);  // NOLINT: an argument of a system call
  Op op = MakeOp(Kind::FutexWait, where, pc, static_cast<uint64_t>(value));
  control::Point look = control::PointOf(heddle::sched::kFutexSleep, op.address, pc);
  look.arg = static_cast<uint32_t>(value);
  control::Take(look);
  control::NoteMemoryBefore();
  uint32_t present = __atomic_load_n(where, __ATOMIC_SEQ_CST);
  bool sleeps = present == static_cast<uint32_t>(value);
  if (control::C11()) control::LookC11(op.address, present);
  if (sleeps) control::StartWaiting(op.address);
  int error = sleeps ? 0 : EAGAIN;
  if (!sleeps) {
    op.result = static_cast<uint8_t>(OutcomeOf(error));
    g_hooks.commit(op);
  }
  control::Done(OutcomeOf(error), !sleeps);
  if (!sleeps) return error;
  clockid_t clock = real_clock ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  timespec until{};
  if (timeout != nullptr) until = command == FUTEX_WAIT ? control::Later(clock, *timeout) : *timeout;
  control::WaitHow how{nullptr, nullptr, nullptr, timeout == nullptr ? nullptr : &until, clock, true, false};
  control::Point point = control::PointOf(op);
  if (timeout == nullptr) point.ready = WasWoken;
  point.timed = timeout != nullptr;
  point.context = control::Self();
  control::Take(point);
  while (error == 0 && !control::CanStopWaiting(control::Self())) {
    control::Waited waited = control::BlockFor(op.address, how);
    if (waited == control::Waited::TimedOut) error = ETIMEDOUT;
    if (waited == control::Waited::Interrupted) error = EINTR;
  }
  if (control::StopWaiting()) error = 0;
  op.result = static_cast<uint8_t>(OutcomeOf(error));
  g_hooks.commit(op);
  control::Done(OutcomeOf(error));
  return error;
}

// A library that was not compiled with heddle cc and calls futex has locks of its own. Their atomic instructions are no
// operations: who of two OS threads gets such a lock is in no schedule. Fibers switch at operations alone.
void NoteOwnLocks(const void* pc) {
  static const void* last = nullptr;
  bool follows = control::g_demo != control::Demo::Record || control::g_carrier->is_fiber() || IsInstrumentedCode(pc);
  if (follows || __atomic_exchange_n(&last, pc, __ATOMIC_RELAXED) == pc) return;
  Dl_info module{};
  if (dladdr(pc, &module) == 0 || module.dli_fname == nullptr) return;
  const char* slash = strrchr(module.dli_fname, '/');
  const char* name = slash == nullptr ? module.dli_fname : slash + 1;
  if (strncmp(name, "libstdc++.so", 12) == 0 || strncmp(name, "libc.so", 7) == 0) return;
  char text[160];
  snprintf(text, sizeof text, "locks of %s, which heddle cc did not compile (with --carrier fiber they are)", name);
  control::NoteUnfollowedCall(text);
}

bool Waits(int command) { return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET; }
bool Moves(int command) { return command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE; }
bool Wakes(int command) {
  return command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET || command == FUTEX_WAKE_OP || Moves(command);
}

uint32_t WordAt(long address) {
  return __atomic_load_n(reinterpret_cast<const uint32_t*>(address), __ATOMIC_SEQ_CST);  // NOLINT
}

uint32_t WakeInTurn(long address, uint32_t count, const void* pc) {
  Op op = MakeOp(Kind::FutexWake, reinterpret_cast<const void*>(address), pc, count);  // NOLINT
  control::Take(control::PointOf(op));
  g_hooks.commit(op);
  if (control::C11()) control::FenceC11(static_cast<uint8_t>(Order::SeqCst));
  uint32_t woken = control::WakeSome(op.address, count);
  control::Done();
  return woken;
}

// Counts are ints to the kernel; a negative one is as good as all.
uint32_t CountOf(long value) { return static_cast<int>(value) < 0 ? INT32_MAX : static_cast<uint32_t>(value); }

// Who is moved to another futex is woken here, and looks again at what it waits for, as after any wake without a cause.
// Whether somebody wakes it there is not seen.
long MoveInTurn(const FutexCall& call, const void* pc) {
  control::NoteGap("waiters of a futex are moved to another one (FUTEX_REQUEUE)");
  bool compares = FutexCommand(call.operation) == FUTEX_CMP_REQUEUE;
  if (compares && WordAt(call.address) != static_cast<uint32_t>(call.value3)) {
    errno = EAGAIN;
    return -1;
  }
  uint64_t count = uint64_t{CountOf(call.value)} + CountOf(call.timeout);
  return WakeInTurn(call.address, static_cast<uint32_t>(std::min<uint64_t>(count, INT32_MAX)), pc);
}

// Changes a word, wakes some at one address, and some at the word if it held what was asked for. Nobody waits in the
// kernel, so there the call only changes the word.
long WakeAndChangeInTurn(const FutexCall& call, const void* pc) {
  control::NoteGap("a futex is woken and a word changed at once (FUTEX_WAKE_OP)");
  uint32_t woken = WakeInTurn(call.address, CountOf(call.value), pc);
  auto before = static_cast<int32_t>(WordAt(call.address2));
  long changed = Sys(SYS_futex, call.address, call.operation, 0, 0, call.address2, call.value3);
  if (changed < 0) return changed;
  auto code = static_cast<uint32_t>(call.value3);
  int32_t operand = static_cast<int32_t>(code << 20U) >> 20U;
  bool also = false;
  switch (code >> 24U & 0xFU) {
    case FUTEX_OP_CMP_EQ:
      also = before == operand;
      break;
    case FUTEX_OP_CMP_NE:
      also = before != operand;
      break;
    case FUTEX_OP_CMP_LT:
      also = before < operand;
      break;
    case FUTEX_OP_CMP_LE:
      also = before <= operand;
      break;
    case FUTEX_OP_CMP_GT:
      also = before > operand;
      break;
    default:
      also = before >= operand;
  }
  return woken + (also ? WakeInTurn(call.address2, CountOf(call.timeout), pc) : 0);
}

// A wake for some of the bits wakes everybody: who did not wait for these looks again.
long WakeBitsInTurn(const FutexCall& call, const void* pc) {
  bool all = static_cast<uint32_t>(call.value3) == FUTEX_BITSET_MATCH_ANY;
  if (!all) control::NoteGap("a futex is woken for some of its waiters (FUTEX_WAKE_BITSET)");
  return WakeInTurn(call.address, all ? CountOf(call.value) : INT32_MAX, pc);
}

long FutexInTurn(const FutexCall& call, const void* pc) {
  NoteOwnLocks(pc);
  int command = FutexCommand(call.operation);
  if (Waits(command)) {
    bool real_clock = (static_cast<int>(call.operation) & FUTEX_CLOCK_REALTIME) != 0;
    auto* limit = reinterpret_cast<const timespec*>(call.timeout);  // NOLINT: an argument of a system call
    long error = FutexWaitInTurn(call.address, command, call.value, limit, real_clock, pc);
    if (error == 0) return 0;
    errno = static_cast<int>(error);
    return -1;
  }
  if (Moves(command)) return MoveInTurn(call, pc);
  if (command == FUTEX_WAKE_OP) return WakeAndChangeInTurn(call, pc);
  if (command == FUTEX_WAKE_BITSET) return WakeBitsInTurn(call, pc);
  return WakeInTurn(call.address, CountOf(call.value), pc);
}

}  // namespace

long Futex(const FutexCall& call, const void* pc) {
  auto* where = reinterpret_cast<const void*>(call.address);  // NOLINT: an argument of a system call
  int command = FutexCommand(call.operation);
  bool waits = Waits(command);
  bool wakes = Wakes(command);
  if ((waits || wakes) && control::Controlled()) return FutexInTurn(call, pc);
  if (!waits && !wakes) control::NoteGap("a futex with an owner, or another one that heddle does not know");
  if (wakes) Commit(MakeOp(Kind::FutexWake, where, pc, static_cast<uint64_t>(call.value)));
  long result = Sys(SYS_futex, call.address, call.operation, call.value, call.timeout, call.address2, call.value3);
  if (waits) {
    int error = result == 0 ? 0 : errno;
    Op op = MakeOp(Kind::FutexWait, where, pc, static_cast<uint64_t>(call.value));
    op.result = static_cast<uint8_t>(OutcomeOf(error));
    Commit(op);
    if (error != 0) errno = error;
  }
  return result;
}

}  // namespace heddle::rt
