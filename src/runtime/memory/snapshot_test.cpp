#include "runtime/memory/snapshot.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "runtime/raw_syscall.h"
#include "sched/random.h"

namespace heddle::rt {
namespace {

constexpr size_t kPages = 300;
constexpr size_t kBytes = kPages * Snapshot::kPage;

Snapshot* g_snapshot = nullptr;
void OnFault(int, siginfo_t* info, void*) {
  if (!g_snapshot->Fault(reinterpret_cast<uint64_t>(info->si_addr))) RawSyscall(SYS_exit_group, 90, 0, 0, 0, 0, 0);
}

// Stacks that are not brought back: the test runs on one of them.
struct Spare {
  alignas(4096) char stack[1 << 16];
  alignas(4096) char handler_stack[1 << 16];
};

template <typename Body>
struct Call {
  static inline Body* body = nullptr;
  static inline Spare* spare = nullptr;
  static void Run() { _exit((*body)(spare)); }
};

// A child of its own: everything it has becomes read-only. Its exit code says what happened.
template <typename Body>
int InChild(Body body) {
  pid_t child = fork();
  if (child == 0) {
    auto* spare =
        static_cast<Spare*>(mmap(nullptr, sizeof(Spare), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    stack_t stack{};
    stack.ss_sp = spare->handler_stack;
    stack.ss_size = sizeof spare->handler_stack;
    sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_sigaction = OnFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    g_snapshot = Snapshot::Make();
    g_snapshot->Spare(spare, sizeof(Spare));
    Call<Body>::body = &body;
    Call<Body>::spare = spare;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = spare->stack;
    context.uc_stack.ss_size = sizeof spare->stack;
    makecontext(&context, Call<Body>::Run, 0);
    setcontext(&context);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The naive twin: a copy of everything in shared memory, which the snapshot leaves alone.
struct Twin {
  unsigned char before[kBytes];
};

const void* Busy() { return static_cast<const char*>(__builtin_thread_pointer()) + __rseq_offset; }

TEST(Snapshot, BringsBackWhatRandomWritesChanged) {
  auto* twin =
      static_cast<Twin*>(mmap(nullptr, sizeof(Twin), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int code = InChild([twin](Spare*) {
    auto* memory =
        static_cast<unsigned char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    sched::Random random(11);
    for (size_t i = 0; i < kBytes / 3; ++i) memory[random.Below(kBytes / 2)] = static_cast<unsigned char>(i);
    memcpy(twin->before, memory, kBytes);
    if (!g_snapshot->Take(Busy())) return 1;
    for (uint64_t round = 0; round < 50; ++round) {
      sched::Random writes(round);
      for (int i = 0; i < 200; ++i) memory[writes.Below(kBytes)] = static_cast<unsigned char>(round + 1);
      if (round % 7 == 0) g_snapshot->Zero(reinterpret_cast<uint64_t>(memory) + 8192, 16384);
      if (round % 7 == 0 && (memory[8192] | memory[20000]) != 0) return 2;
      g_snapshot->Restore();
      if (memcmp(twin->before, memory, kBytes) != 0) return 3;
    }
    return 0;
  });
  EXPECT_EQ(code, 0);
}

TEST(Snapshot, PagesFaultOnce) {
  auto* seen = static_cast<uint32_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int code = InChild([seen](Spare*) {
    auto* memory =
        static_cast<unsigned char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (!g_snapshot->Take(Busy())) return 1;
    for (int round = 0; round < 3; ++round) {
      for (size_t i = 0; i < 20; ++i) memory[i * Snapshot::kPage] = 1;
      seen[round] = g_snapshot->pages();
      g_snapshot->Restore();
    }
    return seen[0] >= 20 && seen[1] == seen[0] && seen[2] == seen[0] ? 0 : 2;
  });
  EXPECT_EQ(code, 0);
}

TEST(Snapshot, AFaultElsewhereIsNotOurs) {
  int code = InChild([](Spare*) {
    auto* memory = static_cast<char*>(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (!g_snapshot->Take(Busy())) return 1;
    *static_cast<volatile char*>(memory) = 1;
    return 2;
  });
  EXPECT_EQ(code, 90);
}

TEST(Snapshot, ReleaseMakesEverythingWritable) {
  int code = InChild([](Spare*) {
    auto* memory = static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (!g_snapshot->Take(Busy())) return 1;
    memory[0] = 1;
    g_snapshot->Release();
    uint32_t before = g_snapshot->pages();
    memory[4096] = 2;
    // A second snapshot begins with what is there now.
    if (!g_snapshot->Take(Busy())) return 2;
    memory[0] = 7;
    g_snapshot->Restore();
    return before == 0 && memory[0] == 1 && memory[4096] == 2 ? 0 : 3;
  });
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace heddle::rt
