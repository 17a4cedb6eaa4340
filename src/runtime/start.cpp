// The runtime's start: finds the real functions, chooses the mode, makes the main thread known.
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "runtime/control/replay/checkpoint.h"
#include "runtime/control/replay/processes.h"
#include "runtime/control/replay/variables.h"
#include "runtime/control/report/bare_findings.h"
#include "runtime/control/search/access_log.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/control.h"
#include "runtime/control/turn/plain_access.h"
#include "runtime/detect/detect_mode.h"
#include "runtime/libc/foreign_allocator.h"
#include "runtime/libc/real.h"
#include "runtime/message.h"
#include "runtime/mode.h"
#include "runtime/options.h"
#include "runtime/output/findings_file.h"
#include "runtime/output/process_text.h"
#include "runtime/raw_syscall.h"
#include "runtime/record/trace_mode.h"
#include "runtime/threads/thread.h"
#include "wire/environment.h"

extern "C" void* __libc_stack_end;  // NOLINT(*-reserved-identifier): of the dynamic linker

namespace heddle::rt {

Mode g_mode = Mode::Unknown;
bool g_controlled = false;

namespace {

bool g_starting = false;
constexpr int kCannotControl = 5;

// Functions of .preinit_array (other sanitizers' runtimes begin there) come before libc has set `environ`. The kernel
// left the environment behind the arguments.
void FindEnvironment() {
  if (environ != nullptr) return;
  auto* stack = static_cast<uint64_t*>(__libc_stack_end);
  uint64_t arguments = *stack;
  environ = reinterpret_cast<char**>(stack + 1 + arguments + 1);
}

Mode ChooseMode() {
  const char* name = getenv(wire::variable::kMode);
  Mode nothing = g_options.strategy != nullptr ? Mode::Control : Mode::Off;
  if (name == nullptr || *name == '\0' || strcmp(name, "off") == 0) return nothing;
  if (strcmp(name, "trace") == 0) return Mode::Trace;
  if (strcmp(name, "detect") == 0) return Mode::Detect;
  Message("unknown HEDDLE_MODE, the program runs without analysis: ", name);
  return Mode::Off;
}

const char* PathFrom(const char* variable, const char* otherwise) {
  const char* path = control::StreamPath(variable);
  return path != nullptr ? path : otherwise;
}

// Nothing is watched, and the findings file says why: memory that only changed hands would be reported as shared.
void RefuseAllocator(const Refusal& refusal) {
  Message(refusal.library, " is an allocator that heddle cannot follow: nothing is watched");
  const char* path = getenv(wire::variable::kFindings);
  static FindingsText text;
  if (path != nullptr && *path != '\0' && CreateFindingsFile(path)) {
    const char* call = refusal.call == nullptr ? "malloc" : refusal.call;
    text.Add(FindingLine::kAllocator).Add(call).Add(refusal.library).Line().Add(FindingLine::kFinished).Line();
    AppendFindings(text);
  }
  if (g_options.strategy != nullptr) Sys(SYS_exit_group, kCannotControl);
}

bool StartMode(Mode mode) {
  switch (mode) {
    case Mode::Trace:
      g_access = kTraceAccess;
      g_hooks = kTraceHooks;
      return StartTrace(PathFrom(wire::variable::kTrace, "heddle.trace"));
    case Mode::Detect:
      g_access = kDetectAccess;
      g_hooks = kDetectHooks;
      return StartDetect(PathFrom(wire::variable::kFindings, "heddle.findings"));
    case Mode::Control:
      g_access = kOffAccess;
      g_hooks = kControlHooks;
      return true;
    default:
      return false;
  }
}

// Scheduling, on top of whatever watches. A program that should be scheduled and cannot be is not run at all: what it
// did would look like a result.
void StartControl(Mode mode) {
  if (g_options.strategy == nullptr) return;
  bool record = control::StartBareFindings(PathFrom(wire::variable::kFindings, "heddle.findings"), mode);
  if (!record || !control::Start()) Sys(SYS_exit_group, kCannotControl);
  control::WatchPlainAccesses();
  control::StartAccessLog();
  if (control::Exploring()) control::WatchRounds();
}

// Code ranges of modules that the compiler instrumented.
constexpr int kMaxRanges = 1024;
struct Range {
  uint64_t begin;
  uint64_t end;
};
Range g_ranges[kMaxRanges];
int g_range_count = 0;

int FindRange(dl_phdr_info* info, size_t, void* wanted) {
  auto pc = reinterpret_cast<uint64_t>(wanted);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    uint64_t end = begin + segment.p_memsz;
    if (pc < begin || pc >= end) continue;
    int n = g_range_count;
    if (n < kMaxRanges) g_ranges[n] = {begin, end};
    if (n < kMaxRanges) __atomic_store_n(&g_range_count, n + 1, __ATOMIC_RELEASE);
    return 1;
  }
  return 0;
}

Range g_cxx_library = {0, 0};

int FindCxxLibrary(dl_phdr_info* info, size_t, void*) {
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* name = slash == nullptr ? info->dlpi_name : slash + 1;
  if (strncmp(name, "libstdc++.so", 12) != 0 && strncmp(name, "libc++.so", 9) != 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    g_cxx_library = {begin, begin + segment.p_memsz};
  }
  return 1;
}

__attribute__((constructor)) void AtLoad() { Start(); }

}  // namespace

void Start() {
  if (g_mode != Mode::Unknown || g_starting) return;
  g_starting = true;
  RuntimeScope scope;
  FindEnvironment();
  ParseOptions(getenv(wire::variable::kOptions));
  Mode mode = ChooseMode();
  Refusal refusal;
  if (mode == Mode::Off) {
    NoteForeignHeap();
  } else {
    refusal = TakeAllocatorsPlace();
  }
  RestorePreloads();
  if (mode == Mode::Control) control::TakeUpCheckpoint();
  FindRealFunctions();
  if (refusal.library != nullptr) RefuseAllocator(refusal);
  if (g_options.strategy != nullptr) control::FindProcess();
  if (refusal.library == nullptr && StartMode(mode)) {
    StartControl(mode);
    dl_iterate_phdr(FindCxxLibrary, nullptr);
    g_mode = mode;
    StartProcess();
    StartThreads();
    control::HideVariables();
  } else {
    g_access = kOffAccess;
    g_hooks = kOffHooks;
    g_mode = Mode::Off;
  }
}

void LeaveAnalysis() {
  g_controlled = false;
  g_access = kOffAccess;
  g_hooks = kOffHooks;
  g_mode = Mode::Off;
}

bool StartInside() {
  if (g_mode != Mode::Off) return false;
  RuntimeScope scope;
  g_options.strategy = wire::WordOf(wire::Strategy::kExplore);
  g_options.carrier = wire::WordOf(wire::Carrier::kFiber);
  g_options.then = wire::WordOf(wire::Strategy::kRoundRobin);
  if (!control::Start()) return false;
  SetTextSink(nullptr);
  g_hooks = kControlHooks;
  g_mode = Mode::Control;
  control::WatchRounds();
  WatchModules();
  StartProcess();
  StartThreads();
  return true;
}

bool PassiveSlow() {
  if (g_mode == Mode::Unknown) Start();
  return g_mode == Mode::Off || g_mode == Mode::Unknown || t_hot.in_runtime != 0 || t_hot.gone != 0;
}

void NoteInstrumentedModule(const void* pc) {
  if (IsInstrumentedCode(pc)) return;
  RuntimeScope scope;
  dl_iterate_phdr(FindRange, const_cast<void*>(pc));
  g_hooks.modules_changed();
}

bool IsCxxLibraryCode(const void* pc) {
  auto where = reinterpret_cast<uint64_t>(pc);
  return where >= g_cxx_library.begin && where < g_cxx_library.end;
}

bool IsReturnAddress(const void* word) {
  if (!IsInstrumentedCode(word) || !IsInstrumentedCode(static_cast<const char*>(word) - 8)) return false;
  constexpr uint8_t kCall = 0xE8;      // with the distance in four bytes
  constexpr uint8_t kIndirect = 0xFF;  // through a register or memory: two, three, six or seven bytes
  constexpr uint8_t kToCall = 2;       // in the middle bits of the next byte
  const auto* behind = static_cast<const uint8_t*>(word);
  if (behind[-5] == kCall) return true;
  for (int bytes : {2, 3, 6, 7}) {
    if (behind[-bytes] == kIndirect && (behind[1 - bytes] >> 3U & 7U) == kToCall) return true;
  }
  return false;
}

bool IsInstrumentedCode(const void* pc) {
  auto where = reinterpret_cast<uint64_t>(pc);
  int count = __atomic_load_n(&g_range_count, __ATOMIC_ACQUIRE);
  for (int i = 0; i < count; ++i) {
    if (where >= g_ranges[i].begin && where < g_ranges[i].end) return true;
  }
  return false;
}

}  // namespace heddle::rt
