#include "runtime/control/search/in_place.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "runtime/control/carrier/fiber_switch.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/outside_state.h"
#include "runtime/control/search/restart_point.h"
#include "runtime/detect/shadow.h"
#include "runtime/memory/pages.h"
#include "runtime/memory/snapshot.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {

bool g_in_place = false;

namespace {

constexpr long kUserDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH
constexpr char kAllow = 0;
constexpr char kStop = 1;
constexpr size_t kStackBytes = size_t{1} << 16U;

// As the kernel has it: its own function to return through must be one whose system call is let through.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};

// Survives executions: lies in a mapping that the snapshot leaves alone.
struct State {
  Snapshot* snapshot;
  Between* between;
  RestartPoint begin;
  uint64_t fs;
  bool taken;
  bool leaving;
  KernelAction old_fault;
  KernelAction old_call;
  stack_t old_stack;
  volatile char gate;  // kStop: system calls come to OnSystemCall
  alignas(64) char handler_stack[kStackBytes];
  alignas(64) char stack[kStackBytes];
};
State* g_state = nullptr;

[[noreturn]] void GiveUp(uint32_t reason) {
  g_state->gate = kAllow;
  g_link->given_up = reason;
  if (InProcess()) EndInPlace(reason == wire::kGaveUpCrash ? SIGSEGV : 0);
  Sys(SYS_exit_group, 0);
  __builtin_unreachable();
}

void OnFault(int, siginfo_t* info, void*) {
  char gate = g_state->gate;
  g_state->gate = kAllow;
  bool ours = g_state->snapshot->Fault(reinterpret_cast<uint64_t>(info->si_addr));
  if (!ours) GiveUp(g_state->snapshot->full() ? wire::kGaveUpMemory : wire::kGaveUpCrash);
  g_state->gate = gate;
}

bool ChangesNothing(long number, const greg_t* registers) {
  switch (number) {
    case SYS_getpid:
    case SYS_gettid:
    case SYS_getuid:
    case SYS_sched_yield:
      return true;
    case SYS_write:
    case SYS_writev:  // to the terminal, as a copy would
      return registers[REG_RDI] == 1 || registers[REG_RDI] == 2;
    case SYS_futex:
      return (registers[REG_RSI] & FUTEX_CMD_MASK) == FUTEX_WAKE;
    default:
      return false;
  }
}

// Calls that only tell something, into memory: the place, else 0. Printing asks what standard output is.
uint64_t AnswerOf(long number, const greg_t* registers) {
  if (number == SYS_newfstatat) return static_cast<uint64_t>(registers[REG_RDX]);
  if (number == SYS_fstat) return static_cast<uint64_t>(registers[REG_RSI]);
  bool asks = number == SYS_ioctl && static_cast<uint32_t>(registers[REG_RSI]) == TCGETS;
  return asks ? static_cast<uint64_t>(registers[REG_RDX]) : 0;
}

// The kernel does not write to pages that a first write has yet to make writable.
void MakeWritable(uint64_t begin) {
  constexpr uint64_t kMost = sizeof(struct stat);
  for (uint64_t at : {begin, begin + kMost - 1}) {
    auto* byte = reinterpret_cast<volatile char*>(at);  // NOLINT: an argument of a system call
    *byte = *byte;
  }
}

// What a test prints is heard once, when it runs for good.
long SwallowWrite(long number, const greg_t* registers) {
  if (number == SYS_write) return registers[REG_RDX];
  auto* pieces = reinterpret_cast<const iovec*>(registers[REG_RSI]);  // NOLINT: an argument of a system call
  long sum = 0;
  for (long i = 0; i < registers[REG_RDX]; ++i) sum += static_cast<long>(pieces[i].iov_len);
  return sum;
}

void OnSystemCall(int, siginfo_t* info, void* context) {
  g_state->gate = kAllow;
  greg_t* r = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  long number = info->si_syscall;
  if (number == SYS_exit_group) EndInPlace((static_cast<int>(r[REG_RDI]) & 0xFF) << 8U);
  if (number == SYS_madvise && r[REG_RDX] == MADV_DONTNEED) {
    g_state->snapshot->Zero(static_cast<uint64_t>(r[REG_RDI]), static_cast<uint64_t>(r[REG_RSI]));
    r[REG_RAX] = 0;
  } else if (InProcess() && number == SYS_tgkill) {
    EndInPlace(static_cast<int>(r[REG_RDX]));  // abort
  } else if (InProcess() && (number == SYS_write || number == SYS_writev) && ChangesNothing(number, r)) {
    r[REG_RAX] = SwallowWrite(number, r);
  } else if (uint64_t answer = AnswerOf(number, r); answer != 0 || ChangesNothing(number, r)) {
    if (answer != 0) MakeWritable(answer);
    r[REG_RAX] = RawSyscall(number, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
  } else {
    GiveUp(static_cast<uint32_t>(number) + wire::kGaveUpCall);
  }
  g_state->gate = kStop;
}

bool Install(int number, void (*handler)(int, siginfo_t*, void*), KernelAction* old) {
  constexpr unsigned long kRestorer = 0x04000000;
  KernelAction action{handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | kRestorer, heddle_sigreturn, 0};
  return Sys(SYS_rt_sigaction, number, &action, old, sizeof(uint64_t)) == 0;
}

bool InstallHandlers() {
  stack_t stack{};
  stack.ss_sp = g_state->handler_stack;
  stack.ss_size = kStackBytes;
  uint64_t both = uint64_t{1} << (SIGSEGV - 1U) | uint64_t{1} << (SIGSYS - 1U);
  return Sys(SYS_sigaltstack, &stack, &g_state->old_stack) == 0 && Install(SIGSEGV, OnFault, &g_state->old_fault) &&
         Install(SIGSYS, OnSystemCall, &g_state->old_call) &&
         Sys(SYS_rt_sigprocmask, SIG_UNBLOCK, &both, nullptr, sizeof both) == 0;
}

bool Dispatch(bool on) {
  return Sys(SYS_prctl, kUserDispatch, on ? 1 : 0, on ? reinterpret_cast<long>(&heddle_sigreturn) : 0,
             on ? kSigreturnBytes : 0, on ? reinterpret_cast<long>(&g_state->gate) : 0) == 0;
}

// The main thread's stack is mapped as far as it was needed: a little more of it, so that it is known.
__attribute__((noinline)) void TouchStack() {
  constexpr size_t kMore = size_t{1} << 18U;
  char room[kMore];
  auto* touched = static_cast<volatile char*>(room);
  for (size_t i = 0; i < kMore; i += Snapshot::kPage) touched[i] = 0;
}

void TakeSnapshot() {
  g_state->taken = true;
  // The kernel writes the number of the processor into the thread's block whenever it has moved the thread.
  const char* busy = reinterpret_cast<const char*>(ReadFs()) + __rseq_offset;  // NOLINT: the thread's block
  if (!g_state->snapshot->Take(busy)) GiveUp(wire::kGaveUpMemory);
}

void StopWatching() {
  g_state->snapshot->Release();
  Dispatch(false);
  Sys(SYS_rt_sigaction, SIGSEGV, &g_state->old_fault, nullptr, sizeof(uint64_t));
  Sys(SYS_rt_sigaction, SIGSYS, &g_state->old_call, nullptr, sizeof(uint64_t));
  Sys(SYS_sigaltstack, &g_state->old_stack, nullptr);
  g_in_place = false;
  detect::g_region_wanted = nullptr;
}

// On a stack of its own: those of the program are copied back under way.
void Turnover() {
  WriteFs(g_state->fs);
  ++g_link->restored;
  g_state->between->Answer();
  g_state->snapshot->Restore();
  RestoreSharedMemory();
  g_state->between->AwaitRequest();
  heddle_restart(&g_state->begin);
}

}  // namespace

bool PrepareInPlace(Between* between) {
  if (g_state == nullptr) {
    g_state = static_cast<State*>(MapPages(sizeof(State)));
    if (g_state == nullptr) return false;
    g_state->snapshot = Snapshot::Make();
    if (g_state->snapshot == nullptr) return false;
    g_state->snapshot->Spare(g_state, sizeof(State));
  }
  TouchStack();
  g_state->between = between;
  g_state->fs = ReadFs();
  g_state->taken = g_state->leaving = false;
  return InstallHandlers() && Dispatch(true);
}

void BeginInPlace() {
  g_in_place = true;
  detect::g_region_wanted = WantRegion;
  heddle_mark(&g_state->begin);
  // The memory of this frame is as it is now in every execution; what was before the mark is not looked at again.
  if (!g_state->taken) TakeSnapshot();
  if (g_state->leaving) return StopWatching();
  g_state->gate = kStop;
}

void LeaveInPlace() { g_state->leaving = true; }

void SpareInPlace(const void* begin, uint64_t bytes) { g_state->snapshot->Spare(begin, bytes); }

void KeepInPlace(uint64_t address) { g_state->snapshot->KeepWord(address); }

bool InProcess() { return g_state != nullptr && g_state->between->in_process(); }

void OpenGate() {
  if (g_in_place) g_state->gate = kAllow;
}

void WantRegion(uint64_t address) {
  OpenGate();
  g_link->wanted_region = address;
  Sys(SYS_exit_group, 0);
  __builtin_unreachable();
}

void EndInPlace(int status) {
  g_state->gate = kAllow;
  g_link->status = status;
  heddle_call_on(g_state->stack + kStackBytes, Turnover);
}

}  // namespace heddle::rt::control
