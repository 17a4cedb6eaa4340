// The process that is copied for each execution, and its pool of threads.
//
// The target runs up to main and stops there as a server. For each request it forks; the copy performs one execution
// (or several in place, by restoring memory, in_place.h) and ends; the server waits for it, restores what lies outside
// of memory (outside_state.h) and answers. A copy of a process has only the thread that forked, so threads of
// executions cannot be created in the server and copied as OS threads: the server makes a pool of threads that give
// their stacks away (PooledMain), and in a copy each becomes a fiber on such a stack. When the pool is too small, the
// execution is given up, the server makes more, and asks for the same execution again.
//
// Findings of the detector do not go into a file here: each becomes one note in the link, by which the search knows
// whether it is new; its replay tells the rest.
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstring>

#include "runtime/control/search/access_log.h"
#include "runtime/control/search/crash.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/foreign_modules.h"
#include "runtime/control/search/in_place.h"
#include "runtime/control/search/outside_state.h"
#include "runtime/control/search/watched_calls.h"
#include "runtime/detect/shadow.h"
#include "runtime/libc/real.h"
#include "runtime/memory/pages.h"
#include "runtime/memory/thread_heap.h"
#include "runtime/mode.h"
#include "runtime/output/findings_file.h"
#include "runtime/output/process_text.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

using wire::LinkEnd;

struct Pooled {
  FiberContext context;
  pthread_t handle = 0;
  void* stack = nullptr;
  size_t stack_bytes = 0;
  void* (*main)(void*) = nullptr;
  void* argument = nullptr;
};
Pooled g_pool[wire::kMaxSampled];
uint32_t g_pool_size = 1;     // the first entry is main's and never used
uint32_t g_pool_threads = 0;  // OS threads that were made
uint64_t g_pool_stack = 0;    // bytes of their stacks; 0: as much as libc gives

// The kernel writes the number of the processor there when the thread is about to run, also when somebody else uses the
// thread's memory already.
void ForgetRestartable() {
  constexpr long kBytes = 32;
  Sys(SYS_rseq, ReadFs() + static_cast<uint64_t>(__rseq_offset), kBytes, RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

// Runs on an OS thread of its own up to the park; behind it, in a copy of the process, as a fiber.
void* PooledMain(void* value) {
  auto* pooled = static_cast<Pooled*>(value);
  RuntimeScope::Enter();
  sigset_t all;
  sigfillset(&all);
  Sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, 8);
  StackRange(&pooled->stack, &pooled->stack_bytes);
  ForgetRestartable();
  pooled->context.fs = ReadFs();
  heddle_fiber_park(&pooled->context);
  --t_hot.in_runtime;
  return pooled->main(pooled->argument);
}

void AddPooled(Pooled* pooled) {
  ++g_pool_threads;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (g_pool_stack != 0) pthread_attr_setstacksize(&attributes, g_pool_stack);
  int error = REAL(pthread_create)(&pooled->handle, &attributes, PooledMain, pooled);
  pthread_attr_destroy(&attributes);
  if (error != 0) return;
  while (pooled->context.parked.load(std::memory_order_acquire) == 0) {
    Sys(SYS_futex, &pooled->context.parked, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }
}

// A thread's stack is larger than its usable part by so much at most.
constexpr uint64_t kRoomOfLibc = uint64_t{256} << 10U;

// Without attributes it is libc's usual size, which the pool's threads have.
uint64_t StackAskedFor(const pthread_attr_t* attributes) {
  size_t bytes = 0;
  if (attributes != nullptr) pthread_attr_getstacksize(attributes, &bytes);
  return bytes;
}

// A number for the first words of a finding, and the code addresses of its stacks.
uint64_t ReadHex(const char*& at, const char* end) {
  uint64_t value = 0;
  for (; at < end; ++at) {
    char c = *at;
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<uint64_t>(c - 'a' + 10);
    } else {
      break;
    }
  }
  return value;
}

// Whether the line at `at` is of this kind.
bool Begins(const char* at, const char* end, FindingLine line) {
  const char* word = WordOf(line);
  size_t length = strlen(word);
  return at + length < end && memcmp(at, word, length) == 0 && at[length] == ' ';
}

// Whether that is all of it.
bool IsLine(const char* at, const char* end, FindingLine line) {
  size_t length = strlen(WordOf(line));
  return at + length < end && memcmp(at, WordOf(line), length) == 0 && at[length] == '\n';
}

// In place of the detector's file: one note for each finding, by which heddle knows whether it is new.
void Note(const char* text, size_t bytes) {
  const char* end = text + bytes;
  bool race = Begins(text, end, FindingLine::kRace);
  bool misuse = Begins(text, end, FindingLine::kMisuse);
  bool deadlock = Begins(text, end, FindingLine::kDeadlock);
  if ((!race && !misuse && !deadlock) || g_link->notes == wire::kLinkNotes) return;
  wire::LinkNote note{race     ? wire::NoteKind::kRace
                      : misuse ? wire::NoteKind::kMisuse
                               : wire::NoteKind::kDeadlock,
                      0, 0, 0};
  for (const char* at = text + strlen(WordOf(FindingLine::kMisuse)) + 1; misuse && at < end && *at != ' '; ++at) {
    note.what = note.what * 31 + static_cast<uint32_t>(*at);
  }
  int stacks = 0;
  for (const char* at = text + 1; at < end; ++at) {
    if (at[-1] != '\n') continue;
    if (race && IsLine(at, end, FindingLine::kOrdered)) note.kind = wire::NoteKind::kMisuse;  // used after its free
    if (!Begins(at, end, FindingLine::kStack)) continue;
    at += strlen(WordOf(FindingLine::kStack)) + 1;
    uint64_t pc = ReadHex(at, end);
    if (stacks == 0) note.pc = pc;
    if (stacks == 1) note.other_pc = pc;
    ++stacks;
  }
  if (note.pc > note.other_pc && race) {
    uint64_t pc = note.pc;
    note.pc = note.other_pc;
    note.other_pc = pc;
  }
  g_link->note[g_link->notes++] = note;
}

// Between executions of a copy that performs many.
class WithHeddle final : public Between {
 public:
  void Answer() override { AnswerRequest(); }
  void AwaitRequest() override {
    control::AwaitRequest();
    ClearAnswer(events);
  }
  bool in_process() const override { return false; }
  uint64_t events = 0;  // before the first choice
};
WithHeddle g_with_heddle;

void BeginCopyInPlace(uint64_t events) {
  g_with_heddle.events = events;
  if (PrepareInPlace(&g_with_heddle)) {
    BeginInPlace();
  } else {
    g_link->in_place = 0;
  }
}

void InCopy() {
  Sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  IsCopy();
  TapFindings(Note);
  SetTextSink(nullptr);
}

// Restoring memory costs more than it saves when every few executions need a copy after all.
void CountRedone() {
  constexpr uint64_t kFew = 16;
  if (g_link->first_cause == 0) g_link->first_cause = g_link->given_up == 0 ? wire::kGaveUpCrash : g_link->given_up;
  ++g_link->redone;
  if (g_link->redone >= kFew && g_link->redone * 4 > g_link->restored) g_link->in_place = 0;
}

// Waits for the copy. Whether the execution that it was asked for has to be performed again, in another one.
bool AwaitCopy(long child, bool* in_place) {
  g_link->child = static_cast<int32_t>(child);
  if (child < 0) g_link->end = LinkEnd::kNoFork;
  int status = 0;
  while (child > 0 && Sys(SYS_wait4, child, &status, 0, nullptr) < 0) {
  }
  g_link->child = 0;
  g_link->status = status;
  bool asked = __atomic_load_n(&g_link->turn, __ATOMIC_SEQ_CST) == wire::kLinkTarget;
  if (child < 0 || !asked || g_link->killed != 0) return false;
  if (PoolTooSmall()) {
    // Each attempt gets to one thread more than there are.
    GrowPool(g_link->threads < 8 ? g_link->threads : 2 * g_link->threads);
    return true;
  }
  if (*in_place && g_link->wanted_region != 0) {
    detect::ReserveRegion(g_link->wanted_region);
    g_link->wanted_region = 0;
    return true;
  }
  if (!*in_place || g_link->in_place == 0) return false;  // the second: it found that it cannot
  CountRedone();
  *in_place = false;
  return true;
}

}  // namespace

void GrowPool(uint32_t threads) {
  // What libc needs for a thread must not move what the program allocates later.
  ThreadHeap* own = t_heap;
  t_heap = nullptr;
  uint32_t from = g_pool_size;
  if (g_link->wanted_stack > g_pool_stack) {
    g_pool_stack = g_link->wanted_stack;
    from = 1;  // all of them anew: any may be the one that needs it
  }
  if (threads > wire::kMaxSampled) threads = wire::kMaxSampled;
  for (uint32_t slot = from; slot < threads || slot < g_pool_size; ++slot) {
    Pooled& pooled = g_pool[slot];
    pooled.context.parked.store(0);
    AddPooled(&pooled);
    void* heap = ThreadHeap::OfSlot(slot);  // made here, so that no execution has to
    if (g_mode != Mode::Detect) continue;
    detect::ReserveRegion(reinterpret_cast<uint64_t>(heap));
    detect::ReserveRegion(reinterpret_cast<uint64_t>(pooled.stack));
  }
  if (threads > g_pool_size) g_pool_size = threads;
  t_heap = own;
}

uint32_t PoolSize() { return g_pool_threads; }

void RenewPool(uint32_t threads) {
  for (uint32_t i = 1; i < threads && i < g_pool_size; ++i) {
    g_pool[i].context.parked.store(0);
    AddPooled(&g_pool[i]);
  }
}

bool PoolTooSmall() { return g_pool_size < g_link->threads || g_link->wanted_stack > g_pool_stack; }

int StartPooled(ControlThread* added, pthread_t* handle, const pthread_attr_t* attributes, void* (*main)(void*)) {
  Pooled& pooled = g_pool[added->slot];
  bool there = added->slot < g_pool_size && pooled.context.parked.load() != 0;
  uint64_t stack = StackAskedFor(attributes);
  bool small = there && stack > pooled.stack_bytes + kRoomOfLibc && stack > g_link->wanted_stack;
  if (small) g_link->wanted_stack = stack;
  // The server makes more and asks for the same execution again.
  if (!there || small) EndExecution(LinkEnd::kRunning);
  pooled.main = main;
  pooled.argument = added->thread;
  added->pooled = true;
  added->thread->fresh_stack = true;
  added->fiber.stack = pooled.context.stack;
  added->fiber.fs = pooled.context.fs;
  added->stack_begin = reinterpret_cast<uint64_t>(pooled.stack);
  added->stack_end = added->stack_begin + pooled.stack_bytes;
  added->thread->stack_low = added->stack_begin;
  added->thread->stack_bytes = pooled.stack_bytes;
  *handle = pooled.handle;
  return 0;
}

void AnswerRequest() {
  __atomic_store_n(&g_link->turn, wire::kLinkHeddle, __ATOMIC_SEQ_CST);
  Sys(SYS_futex, &g_link->turn, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void AwaitRequest() {
  for (;;) {
    uint32_t turn = __atomic_load_n(&g_link->turn, __ATOMIC_SEQ_CST);
    if (turn == wire::kLinkTarget) return;
    if (turn == wire::kLinkQuit) Sys(SYS_exit_group, 0);
    Sys(SYS_futex, &g_link->turn, FUTEX_WAIT, turn, nullptr, nullptr, 0);
  }
}

void ClearAnswer(uint64_t events) {
  g_link->events = events;
  g_link->notes = g_link->choices = g_link->options = 0;
  for (uint64_t& word : g_link->live) word = 0;
  g_link->crash_step = 0;
  g_link->crash_signal = 0;
  g_link->given_up = 0;
  ClearAccessLog();
  g_link->end = LinkEnd::kRunning;
}

void ServeRequests() {
  Sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  uint64_t events = g_link->events;
  g_link->server = static_cast<int32_t>(Sys(SYS_getpid));
  GrowPool(4);
  FindStack(Self());
  if (!UsePagePool()) g_link->in_place = 0;
  KeepOutsideState();
  NoteForeignModules();
  __atomic_store_n(&g_link->ready, 1, __ATOMIC_SEQ_CST);
  Sys(SYS_futex, &g_link->ready, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
  for (;;) {
    AwaitRequest();
    bool in_place = g_link->in_place != 0;
    bool again = true;
    while (again) {
      ClearAnswer(events);
      long child = Sys(SYS_fork);
      if (child == 0) {
        InCopy();
        // A crash in place is performed again in a copy of its own.
        if (in_place) {
          BeginCopyInPlace(events);
        } else {
          CatchCrashes();
          WatchCalls();
        }
        return;
      }
      again = AwaitCopy(child, &in_place);
      RestoreOutsideState();
    }
    if (__atomic_load_n(&g_link->turn, __ATOMIC_SEQ_CST) == wire::kLinkTarget) AnswerRequest();
  }
}

}  // namespace heddle::rt::control
