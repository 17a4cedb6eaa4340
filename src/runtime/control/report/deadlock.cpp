#include "runtime/control/report/deadlock.h"

#include <execinfo.h>
#include <sys/syscall.h>

#include "runtime/control/report/stuck.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/waits.h"
#include "runtime/message.h"
#include "runtime/output/at_finding.h"
#include "runtime/output/findings_file.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

constexpr int kFindingExit = 1;
constexpr uint64_t kMillisecond = 1'000'000;
ControlThread* g_reporter = nullptr;

wire::WaitKind WaitOf(const ControlThread* thread) {
  switch (static_cast<Kind>(thread->point.operation)) {
    case Kind::ThreadJoin:
      return wire::WaitKind::kJoin;
    case Kind::CondWake:
      if (thread->point.detail == kNeedsOnlyMutex) return wire::WaitKind::kLock;
      return thread->waits_at != nullptr && thread->blocked_on != thread->point.address ? wire::WaitKind::kLock
                                                                                        : wire::WaitKind::kCond;
    case Kind::SemWait:
      return wire::WaitKind::kSem;
    case Kind::BarrierExit:
      return wire::WaitKind::kBarrier;
    case Kind::FutexWait:
      return wire::WaitKind::kFutex;
    case Kind::Lock:
      return wire::WaitKind::kLock;
    default:
      return thread->point.operation == sched::kOnceEnter ? wire::WaitKind::kOnce : wire::WaitKind::kCall;
  }
}

uint64_t WaitObjectOf(const ControlThread* thread) {
  // Informed strategies do not let it try.
  uint64_t object = thread->blocked ? thread->blocked_on : thread->point.address;
  auto kind = static_cast<Kind>(thread->point.operation);
  if (kind == Kind::CondWake && thread->point.detail == kNeedsOnlyMutex) object = thread->point.arg;
  return kind == Kind::ThreadJoin ? object & 0xFFFFFFFFU : object;
}

// The stack without the runtime's own frames: from the place of the operation on.
void AddStackOf(FindingsText& text, const ControlThread* thread) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < thread->stack_depth; ++i) {
    if (thread->stack[i] == thread->point.pc) first = i;
  }
  text.Add(FindingLine::kStack);
  if (thread->stack_depth == 0 || thread->stack[first] != thread->point.pc) {
    text.Hex(thread->point.pc);
  } else {
    for (uint32_t i = first; i < thread->stack_depth; ++i) text.Hex(thread->stack[i]);
  }
  text.Line();
}

void AddThreadLines(FindingsText& text, const ControlThread* thread, FindingLine word, const char* what,
                    uint64_t object) {
  text.Add(word).Number(thread->number).Add(what).Hex(object).Line();
  AddStackOf(text, thread);
  for (uint32_t i = 0; i < thread->held_count; ++i) {
    text.Add(FindingLine::kHolds).Hex(thread->held[i].lock).Number(thread->held[i].shared ? 1 : 0).Line();
    text.Add(FindingLine::kStack);
    for (uint64_t pc : thread->held[i].stack) {
      if (pc != 0) text.Hex(pc);
    }
    text.Line();
  }
}

// Every thread notes its own stack: nobody else can.
void CollectStacks(ControlThread* self) {
  g_reporter = self;
  ForEachLive([self](ControlThread* thread) {
    if (thread == self) return DumpStack(self);
    uint32_t none = kNone;
    if (!thread->grant.compare_exchange_strong(none, kDump)) return;
    g_carrier->Unpark(thread);
    // A thread that is on its way to a visible operation is not waited for longer than this.
    for (int i = 0; i < 200 && thread->dumped.load() == 0; ++i) g_carrier->Park(self, RealNow() + kMillisecond);
  });
}

}  // namespace

void DumpStack(ControlThread* self) {
  void* frames[kMaxDump];
  int depth = backtrace(frames, kMaxDump);
  self->stack_depth = static_cast<uint32_t>(depth < 0 ? 0 : depth);
  for (uint32_t i = 0; i < self->stack_depth; ++i) self->stack[i] = reinterpret_cast<uint64_t>(frames[i]);
  self->dumped.store(1);
  if (g_reporter != self && g_reporter != nullptr) g_carrier->Unpark(g_reporter);
}

void ReportDeadlock(ControlThread* self) {
  if (Exploring()) EndExecution(wire::LinkEnd::kDeadlock);
  static FindingsText text;
  CollectStacks(self);
  text.Reset();
  text.Add(FindingLine::kDeadlock).Number(1).Line();
  ForEachLive([](const ControlThread* thread) {
    AddThreadLines(text, thread, FindingLine::kWaits, WordOf(WaitOf(thread)), WaitObjectOf(thread));
  });
  text.Add(FindingLine::kEnd).Line();
  text.Add(FindingLine::kFinished).Line();
  AppendFindings(text);
  heddle_at_finding("deadlock");
  Message("deadlock: no thread can go on; the program is ended");
  Sys(SYS_exit_group, kFindingExit);
  __builtin_unreachable();
}

void ReportHang(ControlThread* self, bool end) {
  static FindingsText text;
  CollectStacks(self);
  text.Reset();
  text.Add(FindingLine::kHang).Number(end ? 1 : 0).Line();
  ForEachLive([](const ControlThread* thread) {
    AddThreadLines(text, thread, FindingLine::kWaits, WordOf(WaitOf(thread)), WaitObjectOf(thread));
  });
  text.Add(FindingLine::kEnd).Line();
  AppendFindings(text);
  if (!end) return;
  Message("every thread waits for something outside the program; the replay is ended");
  Sys(SYS_exit_group, kFindingExit);
}

namespace {

void AddStuck(ControlThread* self, const sched::ThreadSet& stuck) {
  static FindingsText text;
  if (!Exploring()) CollectStacks(self);  // else the replay that confirms it does
  text.Reset();
  text.Add(FindingLine::kDeadlock).Number(0).Line();
  stuck.ForEach([](uint32_t slot) {
    const ControlThread* thread = g_slots[slot];
    AddThreadLines(text, thread, FindingLine::kWaits, WordOf(WaitOf(thread)), WaitObjectOf(thread));
  });
  text.Add(FindingLine::kEnd).Line();
  AppendFindings(text);
  if (!Exploring()) heddle_at_finding("deadlock");
}

}  // namespace

void ReportStuck(ControlThread* self) {
  const sched::ThreadSet& stuck = FindStuck(self);
  if (!stuck.empty()) AddStuck(self, stuck);
}

void EndIfStuck(ControlThread* self) {
  const sched::ThreadSet& stuck = FindStuckNow(self);
  if (stuck.empty()) return;
  AddStuck(self, stuck);
  Message("deadlock: threads wait for each other; the program is ended");
  Sys(SYS_exit_group, kFindingExit);
  __builtin_unreachable();
}

void ReportStopped(ControlThread* self) {
  static FindingsText text;
  CollectStacks(self);
  text.Reset();
  text.Add(FindingLine::kStopped).Number(g_steps).Line();
  ForEachLive([](const ControlThread* thread) {
    const char* name = sched::OperationName(thread->point.operation);
    AddThreadLines(text, thread, FindingLine::kStands, name == nullptr ? "?" : name, thread->blocked ? 1 : 0);
  });
  text.Add(FindingLine::kEnd).Line();
  AppendFindings(text);
  heddle_at_finding("stopped");
  Sys(SYS_exit_group, 0);
  __builtin_unreachable();
}

}  // namespace heddle::rt::control
