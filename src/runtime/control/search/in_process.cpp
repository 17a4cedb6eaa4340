// heddle_explore: a search over a piece of a test, in the test's own process (include/heddle/explore.h).
//
// The search is code of libheddle_in_process.so, which runs between executions: on the stack of in_place.h and with a
// heap of its own, both of which are not restored. The body runs on the main thread's stack, behind BeginInPlace.
#include "wire/in_process.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdio>
#include <cstring>

#include "runtime/control/search/explore.h"
#include "runtime/control/search/in_place.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/libc/real.h"
#include "runtime/memory/pages.h"
#include "runtime/memory/thread_heap.h"
#include "runtime/mode.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

using wire::InProcessNext;
using wire::LinkEnd;

// Shared memory: executions leave it alone.
struct Call {
  const heddle_explore_options* options;
  void* search;
  InProcessNext next;
  bool grow;  // the pool of threads
  heddle_exploration result;
};
Call* g_call = nullptr;
ThreadHeap* g_search_heap = nullptr;
wire::InProcessStep g_step = nullptr;
bool g_spared = false;   // the heap, from snapshots
bool g_used_up = false;  // an execution that stayed has left threads behind

void Step() {
  ThreadHeap* own = t_heap;
  ++t_hot.in_runtime;
  t_heap = g_search_heap;
  g_call->next = g_step(&g_call->search, g_call->options, g_link, &g_call->result);
  t_heap = own;
  --t_hot.in_runtime;
}

// Functions that the dynamic linker has bound in this execution stay bound: else it would search for them in each.
int KeepBindings(dl_phdr_info* info, size_t, void*) {
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + segment.p_vaddr);  // NOLINT: the module
  }
  uint64_t table = 0;
  uint64_t bytes = 0;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_JMPREL) table = entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
  }
  if (table < info->dlpi_addr) return 0;                           // the kernel's own module
  const auto* slots = reinterpret_cast<const ElfW(Rela)*>(table);  // NOLINT: the module
  for (uint64_t i = 0; i < bytes / sizeof *slots; ++i) KeepInPlace(info->dlpi_addr + slots[i].r_offset);
  return 0;
}

class WithSearch final : public Between {
 public:
  void Answer() override {
    g_call->grow = g_link->end == LinkEnd::kRunning && PoolTooSmall();
    if (g_call->grow) return;
    Step();
    // Now and then, because it looks at all of them: what was bound goes on being bound.
    bool now = (g_link->restored & (g_link->restored - 1)) == 0;
    if (now) dl_iterate_phdr(KeepBindings, nullptr);
  }
  void AwaitRequest() override {
    ClearAnswer(0);
    if (g_call->next != InProcessNext::kPerform || g_call->grow) LeaveInPlace();
  }
  bool in_process() const override { return true; }
};
WithSearch g_with_search;

int Refuse(heddle_exploration* result, const char* why) {
  snprintf(result->unsupported, sizeof result->unsupported, "%s", why);
  return 0;
}

void* MapShared(size_t bytes) {
  long at = Sys(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
  return at == -1 ? nullptr : reinterpret_cast<void*>(at);  // NOLINT: the kernel's number
}

// The search's library lies beside the runtime's.
wire::InProcessStep LoadSearch() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&LoadSearch), &own) == 0) return nullptr;
  char path[4096];
  const char* slash = strrchr(own.dli_fname, '/');
  int folder = slash == nullptr ? 0 : static_cast<int>(slash + 1 - own.dli_fname);
  snprintf(path, sizeof path, "%.*slibheddle_in_process.so", folder, own.dli_fname);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<wire::InProcessStep>(dlsym(library, wire::kInProcessStepName));
}

// Whether the kernel has begun to take the thread down. One that was joined is listed a moment longer.
bool IsEnding(const char* task) {
  char path[64];
  char text[512];
  snprintf(path, sizeof path, "/proc/self/task/%s/stat", task);
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  long n = Sys(SYS_read, fd, text, sizeof text - 1);
  Sys(SYS_close, fd);
  if (n <= 0) return true;
  text[n] = '\0';
  // Behind the name, which may hold anything: state, parent, group, session, terminal, its group, flags.
  const char* name_end = strrchr(text, ')');
  unsigned flags = 0;
  constexpr unsigned kExiting = 4;  // PF_EXITING
  return name_end != nullptr && sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
         (flags & kExiting) != 0;
}

// Threads of the process that are not the pool's.
bool OtherThreads() {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return false;
  uint32_t count = 0;
  while (const dirent* task = readdir(tasks)) {
    if (task->d_name[0] != '.' && !IsEnding(task->d_name)) ++count;
  }
  closedir(tasks);
  return count > 1 + PoolSize();  // the calling thread and the pool
}

const char* Prepare() {
  if (OtherThreads()) return "other threads are running in this process";
  if (g_step == nullptr) g_step = LoadSearch();
  if (g_step == nullptr) return "libheddle_in_process.so is not beside libheddle_rt.so";
  if (g_call == nullptr) g_call = static_cast<Call*>(MapShared(sizeof(Call)));
  auto* link = g_link != nullptr ? g_link : static_cast<wire::ExploreLink*>(MapShared(sizeof(wire::ExploreLink)));
  if (g_call == nullptr || link == nullptr) return "there is no memory for the search";
  g_link = link;
  link->magic = wire::kLinkMagic;
  if (g_mode == Mode::Off && !StartInside()) return "this machine cannot: heddle doctor says more";
  if (g_search_heap == nullptr) g_search_heap = ThreadHeap::OfSlot(kHeaps - 1);
  if (g_search_heap != nullptr) g_search_heap->SetBare();
  return g_search_heap == nullptr || !UsePagePool() ? "there is no memory for the search" : nullptr;
}

void ResetLink(const heddle_explore_options* options) {
  constexpr uint64_t kDepth = 20000;
  uint64_t depth = options->depth == 0 ? kDepth : options->depth;
  g_link->max_steps = depth < wire::kLinkSteps - 1 ? depth : wire::kLinkSteps - 1;
  g_link->threads = 1;
  g_link->timeouts = 0;
  snprintf(g_link->names[0], sizeof g_link->names[0], "%s", t_hot.thread->id);
  ClearAnswer(0);
}

// With nothing of the execution under way left but its memory.
int BodyEnded() {
  ++t_hot.in_runtime;
  bool failed = g_call->options->failed != nullptr && g_call->options->failed() != 0;
  --t_hot.in_runtime;
  return failed ? 1 << 8U : 0;
}

// One execution, or the last look at it when it stays.
void RunBody(void (*body)(void*), void* argument) {
  BeginInside();
  Self()->loop.first_frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  body(argument);
  RuntimeScope::Enter();
  EndAll();
  if (g_live > 1) g_link->end = LinkEnd::kLeftThreads;
  if (g_in_place) EndInPlace(BodyEnded());
  Self()->grant.store(kChoose);  // as at the start of the process
  RuntimeScope::Leave();         // of EndAll
  RuntimeScope::Leave();
  g_used_up = g_live > 1;
}

// Executions until the search has ended, or needs more threads than there are. All of it in one frame: BeginInPlace
// returns here for each.
__attribute__((noinline)) bool Perform(void (*body)(void*), void* argument) {
  if (!PrepareInPlace(&g_with_search)) return false;
  if (!g_spared) SpareInPlace(g_search_heap, kHeapBytes);
  g_spared = true;
  BeginInPlace();
  bool runs = g_in_place || (g_call->next == InProcessNext::kLast && !g_call->grow);
  if (runs) RunBody(body, argument);
  return true;
}

const char* Explore(const heddle_explore_options* options, void (*body)(void*), void* argument) {
  if (g_used_up) return "an exploration in this process has failed and left threads behind";
  if (const char* why = Prepare(); why != nullptr) return why;
  g_controlled = true;
  *g_call = {};
  g_call->options = options;
  g_search_heap->Clear();
  g_search_heap->SetBare();
  FindStack(Self());
  ResetLink(options);
  Step();
  constexpr uint32_t kPool = 4;
  uint32_t wanted = kPool;
  bool can = true;
  do {
    GrowPool(wanted);
    g_call->grow = false;
    can = Perform(body, argument);
    wanted = g_link->threads;
  } while (can && g_call->grow);
  g_controlled = false;
  if (g_call->next == InProcessNext::kLast) RenewPool(g_link->threads);
  return can ? nullptr : "this machine has no syscall user dispatch (Linux 5.11)";
}

}  // namespace
}  // namespace heddle::rt::control

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

HEDDLE_INTERCEPT int heddle_explore(const heddle_explore_options* options, void (*body)(void*), void* argument,
                                    heddle_exploration* result) {
  *result = {};
  if (g_mode != Mode::Off && (g_mode != Mode::Control || g_controlled)) {
    body(argument);
    return control::Refuse(result, "the process runs under heddle already: the body ran once");
  }
  const char* why = control::Explore(options, body, argument);
  if (why != nullptr) return control::Refuse(result, why);
  *result = control::g_call->result;
  return result->ran;
}
