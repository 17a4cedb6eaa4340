#include "runtime/control/replay/replay.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstring>

#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/start.h"
#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/output/findings_file.h"
#include "runtime/raw_syscall.h"
#include "wire/step_format.h"

namespace heddle::rt::control {

bool g_replaying = false;

namespace {

constexpr int kDivergedExit = 4;

const wire::Step* g_schedule = nullptr;
const char* g_names = nullptr;
uint32_t g_name_count = 0;
uint64_t g_count = 0;
uint64_t g_at = 0;

const char* NameOf(uint32_t index) {
  const char* name = g_names;
  for (uint32_t i = 0; i < index; ++i) name += strlen(name) + 1;
  return name;
}

bool Refuse(const char* path) {
  Message("not a compiled schedule, the program is not run: ", path == nullptr ? "HEDDLE_SCHEDULE is not set" : path);
  return false;
}

const char* OperationText(uint8_t code) {
  const char* name = sched::OperationName(code);
  return name == nullptr ? "?" : name;
}

// diverged STEP WHY, expected: THREAD OPERATION PC, came: OPERATION PC
[[noreturn]] void Diverge(wire::DivergedBy why, const ControlThread* came) {
  static FindingsText text;
  static const wire::Step kBehind{0, sched::kAny, 0, 0, 0};  // a call may diverge behind the schedule's end
  const wire::Step& step = g_at < g_count ? g_schedule[g_at] : kBehind;
  text.Reset();
  text.Add(FindingLine::kDiverged).Number(g_at + 1).Add(WordOf(why));
  text.Add(NameOf(step.thread)).Add(OperationText(step.operation)).Hex(step.pc());
  text.Add(came == nullptr ? "?" : OperationText(came->point.operation));
  text.Hex(came == nullptr ? 0 : came->point.pc).Line();
  AppendFindings(text);
  Sys(SYS_exit_group, kDivergedExit);
  __builtin_unreachable();
}

ControlThread* ThreadOfName(uint32_t name) {
  for (uint32_t i = 0; i < g_slot_limit; ++i) {
    if (g_slots[i] != nullptr && g_slots[i]->name == static_cast<int32_t>(name)) return g_slots[i];
  }
  return nullptr;
}

// The file with that magic and entries of `entry` bytes behind its names; null when it is not one.
const void* Map(const char* path, const char* magic, uint64_t entry) {
  long fd = path == nullptr ? -1 : Sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  struct stat about{};
  if (fd < 0 || Sys(SYS_fstat, fd, &about) != 0) return nullptr;
  auto bytes = static_cast<uint64_t>(about.st_size);
  long at = Sys(SYS_mmap, PageHint(bytes), bytes, PROT_READ, MAP_PRIVATE, fd, 0L);
  Sys(SYS_close, fd);
  if (at == -1 || bytes < sizeof(wire::FixedHeader)) return nullptr;
  const auto* header = reinterpret_cast<const wire::FixedHeader*>(at);  // NOLINT: the kernel's number
  uint64_t wanted = sizeof *header + header->names_bytes + header->steps * entry;
  if (memcmp(header->magic, magic, sizeof header->magic) != 0 || wanted != bytes) return nullptr;
  g_names = reinterpret_cast<const char*>(header + 1);
  g_name_count = header->names;
  return header;
}

}  // namespace

bool StartReplay(const char* path) {
  const auto* header = static_cast<const wire::FixedHeader*>(Map(path, wire::kFixedMagic, sizeof(wire::Step)));
  if (header == nullptr) return Refuse(path);
  g_schedule = reinterpret_cast<const wire::Step*>(g_names + header->names_bytes);
  g_count = header->steps;
  g_at = 0;
  g_replaying = g_count > 0;
  return true;
}

bool LoadSwitches(const char* path, const wire::Switch** switches, uint64_t* count) {
  const auto* header = static_cast<const wire::FixedHeader*>(Map(path, wire::kSwitchesMagic, sizeof(wire::Switch)));
  if (header == nullptr) return Refuse(path);
  *switches = reinterpret_cast<const wire::Switch*>(g_names + header->names_bytes);
  *count = header->steps;
  return true;
}

int32_t NameInSchedule(const char* id) {
  const char* name = g_names;
  for (uint32_t i = 0; i < g_name_count; ++i) {
    if (strcmp(name, id) == 0) return static_cast<int32_t>(i);
    name += strlen(name) + 1;
  }
  return -1;
}

ControlThread* NextOfSchedule() {
  if (g_at == g_count) {
    g_replaying = false;
    SwitchStrategy(StrategyBehind());
    return nullptr;
  }
  ControlThread* thread = ThreadOfName(g_schedule[g_at].thread);
  if (thread == nullptr) Diverge(wire::DivergedBy::kAbsent, nullptr);
  if (thread->ended) Diverge(wire::DivergedBy::kEnded, nullptr);
  if (thread->blocked) Diverge(wire::DivergedBy::kBlocked, thread);
  return thread;
}

void CheckStep(const ControlThread* self) {
  const wire::Step& step = g_schedule[g_at];
  if (static_cast<int32_t>(step.thread) != self->name) Diverge(wire::DivergedBy::kOperation, self);
  if (step.operation != sched::kAny && step.operation != self->point.operation &&
      !(step.operation == sched::kCancelled)) {
    Diverge(wire::DivergedBy::kOperation, self);
  }
}

void LeaveSchedule() {
  if (!g_replaying) return;
  g_replaying = false;
  SwitchStrategy(StrategyBehind());
}

bool IsNextInSchedule(const ControlThread* self) {
  return g_at == g_count || static_cast<int32_t>(g_schedule[g_at].thread) == self->name;
}

bool HandlerIsNext(const ControlThread* self) {
  const wire::Step& step = g_schedule[g_at];
  return step.operation == sched::kHandler && static_cast<int32_t>(step.thread) == self->name;
}

bool HasStepsLeft(const ControlThread* self) {
  for (uint64_t i = g_at; i < g_count; ++i) {
    if (static_cast<int32_t>(g_schedule[i].thread) == self->name) return true;
  }
  return false;
}

bool ScheduleGoesOn() { return g_replaying && g_at < g_count; }

uint64_t ScheduleSteps() { return g_count; }
bool EndsWithProcess() { return g_count != 0 && g_schedule[g_count - 1].operation == sched::Code(Kind::ProcessExit); }

void StepPerformed() { ++g_at; }

void RecordingEnds() {
  static FindingsText text;
  text.Reset();
  text.Add(FindingLine::kStopped).Number(g_steps).Line();
  text.Add(FindingLine::kEnd).Line();
  AppendFindings(text);
  Sys(SYS_exit_group, 0);
  __builtin_unreachable();
}

void DivergeBlocked(const ControlThread* self) { Diverge(wire::DivergedBy::kBlocked, self); }
void DivergeCall(const ControlThread* self) { Diverge(wire::DivergedBy::kCall, self); }

}  // namespace heddle::rt::control
