#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "detect/detect_findings.h"

namespace heddle::detect {
namespace {

using findings::Finding;
using findings::FindingStatus;
using findings::Step;
using wire::WaitKind;
using Misused = wire::Misuse;

struct MisuseText {
  wire::Misuse what;
  std::string_view message;  // {} is the object's name
  std::string_view help;
};
constexpr std::array kMisuses = {
    MisuseText{Misused::kUnlockFree, "unlock of `{}`, which nobody holds", "unlock only what this thread locked"},
    MisuseText{Misused::kUnlockOther, "unlock of `{}`, which another thread holds", "unlock in the thread that locked"},
    MisuseText{Misused::kDoubleLock, "`{}` is locked again by the thread that holds it",
               "release it first, or make it recursive"},
    MisuseText{Misused::kDestroyLocked, "`{}` is destroyed while it is locked", "unlock it before"},
    MisuseText{Misused::kFreeLocked, "the memory of `{}` goes away while it is locked", "unlock and destroy it before"},
    MisuseText{Misused::kExitLocked, "`{}` is still held when its thread ends", "unlock it on every way out"},
    MisuseText{Misused::kWaitUnlocked, "wait on `{}` without holding the mutex", "lock the mutex before the wait"},
    MisuseText{Misused::kLockInHandler, "`{}` is locked in a signal handler, which is not async-signal-safe",
               "let the handler only set a flag"},
    MisuseText{Misused::kJoinTwice, "a thread is joined that was joined or detached before", "join each thread once"},
    MisuseText{Misused::kUseDestroyed, "`{}` is used after it was destroyed", "keep it until its last use is over"},
    MisuseText{Misused::kDestroyUsed,
               "`{}` is destroyed although another thread's last use of it is not known to be over",
               "join or otherwise wait for all its users first"},
    MisuseText{Misused::kFreeUsed,
               "the memory of `{}` goes away although another thread's last use is not known to be over",
               "join or otherwise wait for all its users first"},
    MisuseText{Misused::kInitUsed, "`{}` is used by a thread that does not know that it was initialised",
               "initialise it before its users start"},
    MisuseText{Misused::kAllocInHandler, "memory is allocated in a signal handler, which is not async-signal-safe",
               "let the handler only set a flag, or write to a pipe"},
    MisuseText{Misused::kFreeInHandler, "memory is freed in a signal handler, which is not async-signal-safe",
               "let the handler only set a flag, or write to a pipe"},
    MisuseText{Misused::kExitIgnoring,
               "a thread ends while its accesses are ignored: nothing it did since then was checked",
               "end what AnnotateIgnoreReadsBegin or AnnotateIgnoreWritesBegin began"},
    MisuseText{Misused::kWrongMode, "`{}` is held in one mode and locked or unlocked in the other",
               "unlock as it was locked; release it before locking it in the other mode"},
    MisuseText{Misused::kOutOfBounds, "memory outside of every heap block is accessed", "stay within the block"},
    MisuseText{Misused::kBadFree, "free of an address at which no heap block begins",
               "free what malloc or new returned, once"},
    MisuseText{Misused::kUninitialised, "`{}` is used, and nobody has initialised it",
               "initialise it before its first use"},
    MisuseText{Misused::kDeadStack, "the stack of a thread that has ended is used",
               "join the thread after the last use of its variables, or allocate them elsewhere"},
};
static_assert(kMisuses.size() == static_cast<size_t>(Misused::kUnknown));

void AddThread(Finding& finding, uint32_t thread, Names& names) {
  std::string id = names.ThreadId(thread);
  for (const findings::ThreadInfo& known : finding.threads) {
    if (known.id == id) return;
  }
  finding.threads.push_back(names.Thread(thread));
}

Step LockStep(uint32_t site, uint32_t thread, const std::string& what, const std::string& operand,
              const std::vector<uint64_t>& stack, Names& names) {
  Step step;
  step.site = site;
  step.thread = names.ThreadId(thread);
  step.what = what;
  step.operand = operand;
  step.stack = names.StackOf(stack);
  step.code = names.SourceText(step.stack);
  return step;
}

std::string WaitObject(const Waiter& waiter, Names& names) {
  if (waiter.what == WaitKind::kJoin) return names.ThreadId(static_cast<uint32_t>(waiter.object));
  return names.LockName(waiter.object);
}

// Who holds the lock, of the threads in the deadlock.
std::string HolderOf(const Deadlock& deadlock, uint64_t lock, Names& names) {
  for (const Waiter& waiter : deadlock.waiters) {
    for (const Held& held : waiter.holds) {
      if (held.lock == lock) return names.ThreadId(waiter.thread);
    }
  }
  return "";
}

bool Holds(const Waiter& waiter, uint64_t lock) {
  return std::any_of(waiter.holds.begin(), waiter.holds.end(), [&](const Held& held) { return held.lock == lock; });
}

// Whom each thread waits for, where that is known: the holder of its lock, or the thread that it joins.
std::vector<findings::StepOrder> WaitsFor(const Deadlock& deadlock) {
  std::vector<findings::StepOrder> order;
  for (uint32_t from = 0; from < deadlock.waiters.size(); ++from) {
    const Waiter& waiter = deadlock.waiters[from];
    for (uint32_t to = 0; to < deadlock.waiters.size(); ++to) {
      const Waiter& other = deadlock.waiters[to];
      bool joins = waiter.what == WaitKind::kJoin && waiter.object == other.thread;
      bool locked = waiter.what == WaitKind::kLock && Holds(other, waiter.object);
      if (joins || locked) order.push_back({from, to, std::string(findings::kWaits)});
    }
  }
  return order;
}

// "lock 3" is the made-up name of an object without one.
std::string WaitText(const Waiter& waiter, const std::string& object) {
  bool numbered = object.starts_with("lock ");
  std::string name = numbered ? object.substr(5) : fmt::format("`{}`", object);
  if (waiter.what == WaitKind::kCond) return fmt::format("on condition variable {}, which nobody will notify", name);
  if (waiter.what == WaitKind::kSem) return fmt::format("for semaphore {}, which nobody will post", name);
  if (waiter.what == WaitKind::kBarrier) return fmt::format("at barrier {}, where others are missing", name);
  if (waiter.what == WaitKind::kOnce) return fmt::format("for the initialisation {} by another thread", name);
  if (waiter.what == WaitKind::kFutex) return fmt::format("on futex {}, which nobody will wake", name);
  return fmt::format("in a call ({} {})", WordOf(waiter.what), name);
}

std::string WaitSentence(const Deadlock& deadlock, const Waiter& waiter, Names& names) {
  std::string object = WaitObject(waiter, names);
  std::string thread = names.ThreadId(waiter.thread);
  if (waiter.what == WaitKind::kJoin) return fmt::format("{} waits for the end of {}", thread, object);
  if (waiter.what != WaitKind::kLock) return fmt::format("{} waits {}", thread, WaitText(waiter, object));
  std::string holder = HolderOf(deadlock, waiter.object, names);
  if (holder.empty()) return fmt::format("{} waits for `{}`, whose holder is gone", thread, object);
  return fmt::format("{} waits for `{}`, which {} holds", thread, object, holder);
}

bool SameWait(const Waiter& a, const Waiter& b) {
  return a.thread == b.thread && a.what == b.what && a.object == b.object;
}

bool IsWithin(const Deadlock& part, const Deadlock& whole) {
  return part.waiters.size() < whole.waiters.size() &&
         std::all_of(
             part.waiters.begin(), part.waiters.end(),
             [&](const Waiter& waiter) {
               return std::any_of(whole.waiters.begin(), whole.waiters.end(),
                                  [&](const Waiter& other) { return SameWait(waiter, other); });
             });
}

// Some threads were seen to wait for each other, and in the end everybody waited: one deadlock, told with all of them.
bool IsToldLater(const FindingsFile& file, const Deadlock& deadlock) {
  return std::any_of(file.deadlocks.begin(), file.deadlocks.end(),
                     [&](const Deadlock& other) { return IsWithin(deadlock, other); });
}

// Whether each thread of the cycle waited for its second lock with its first one held.
bool Happened(const FindingsFile& file, const LockCycle& cycle) {
  return std::any_of(file.deadlocks.begin(), file.deadlocks.end(), [&](const Deadlock& deadlock) {
    return std::all_of(cycle.begin(), cycle.end(), [&](size_t index) {
      const LockEdge& edge = file.edges[index];
      return std::any_of(deadlock.waiters.begin(), deadlock.waiters.end(), [&](const Waiter& waiter) {
        bool holds = std::any_of(waiter.holds.begin(), waiter.holds.end(),
                                 [&](const Held& held) { return held.lock == edge.from_address; });
        return holds && waiter.thread == edge.thread && waiter.object == edge.to_address;
      });
    });
  });
}

}  // namespace

namespace {

// An access beside a heap block: what kind, how far outside, of which block.
void TellAccess(const Misuse& misuse, Names& names, Finding& finding, Step& step) {
  const Access& access = misuse.access;
  step.what = fmt::format("{}{}", access.atomic ? "atomic-" : "", access.write ? "write" : "read");
  if (misuse.block_bytes == 0) return;
  bool before = misuse.object < misuse.block;
  uint64_t distance = before ? misuse.block - misuse.object : misuse.object - misuse.block - misuse.block_bytes;
  std::string where = before          ? fmt::format("{} byte{} before", distance, distance == 1 ? "" : "s")
                      : distance == 0 ? "right behind"
                                      : fmt::format("{} byte{} behind", distance, distance == 1 ? "" : "s");
  finding.message = fmt::format("{} of {} byte{} reaches {} a heap block of {} bytes", step.what, access.bytes,
                                access.bytes == 1 ? "" : "s", where, misuse.block_bytes);
  finding.memory.where = findings::Memory::Where::kHeap;
  finding.memory.offset = before ? 0 : misuse.object - misuse.block;
  finding.memory.size = misuse.block_bytes;
  finding.memory.allocation_stack = names.StackOf(misuse.block_stack);
}

}  // namespace

Finding MisuseFinding(const Misuse& misuse, Names& names) {
  Finding finding;
  finding.kind = findings::Kind::kMisuse;
  finding.status = FindingStatus::kProved;
  finding.status_note = "seen in this run";
  std::string object = misuse.object == 0 ? "" : names.LockName(misuse.object);
  finding.message = misuse.what;
  for (const MisuseText& text : kMisuses) {
    if (WordOf(text.what) != misuse.what) continue;
    finding.message = text.message;
    size_t hole = finding.message.find("{}");
    if (hole != std::string::npos) finding.message.replace(hole, 2, object);
    finding.help = text.help;
  }
  Step step = LockStep(1, misuse.thread, misuse.what, object, misuse.stack, names);
  step.locks = names.LockNames(misuse.locks);
  if (misuse.access.bytes != 0) TellAccess(misuse, names, finding, step);
  finding.steps.push_back(std::move(step));
  AddThread(finding, misuse.thread, names);
  return finding;
}

Finding CycleFinding(const std::vector<LockEdge>& edges, const LockCycle& cycle, Names& names) {
  Finding finding;
  finding.kind = findings::Kind::kLockOrder;
  finding.status = FindingStatus::kPossible;
  finding.status_note = "by the lock orders of this run";
  std::string locks;
  uint32_t site = 0;
  for (size_t index : cycle) {
    const LockEdge& edge = edges[index];
    std::string from = names.LockName(edge.from_address);
    locks += fmt::format("`{}`, ", from);
    finding.steps.push_back(LockStep(++site, edge.thread, "lock", from, edge.from_stack, names));
    Step second = LockStep(++site, edge.thread, "lock", names.LockName(edge.to_address), edge.to_stack, names);
    second.locks.push_back(from + (edge.from_shared ? " (shared)" : ""));
    finding.steps.push_back(std::move(second));
    AddThread(finding, edge.thread, names);
  }
  locks.resize(locks.size() - 2);
  finding.message = fmt::format("{} are taken in a cyclic order by {} threads", locks, cycle.size());
  finding.why = "this run's timing let each thread have its locks; another one makes them wait for each other for ever";
  finding.help = "take these locks in one order everywhere";
  return finding;
}

Finding DeadlockFinding(const Deadlock& deadlock, Names& names) {
  Finding finding;
  finding.kind = findings::Kind::kDeadlock;
  finding.status = FindingStatus::kConfirmed;
  finding.status_note = "seen in this run";
  finding.message = fmt::format("{} thread{} wait{} for ever", deadlock.waiters.size(),
                                deadlock.waiters.size() == 1 ? "" : "s", deadlock.waiters.size() == 1 ? "s" : "");
  uint32_t site = 0;
  for (const Waiter& waiter : deadlock.waiters) {
    Step step = LockStep(++site, waiter.thread, waiter.what == WaitKind::kLock ? "lock" : "wait",
                         WaitObject(waiter, names), waiter.stack, names);
    step.locks = names.LockNames(waiter.holds);
    finding.steps.push_back(std::move(step));
    AddThread(finding, waiter.thread, names);
    finding.why += (finding.why.empty() ? "" : "; ") + WaitSentence(deadlock, waiter, names);
  }
  finding.order = WaitsFor(deadlock);
  return finding;
}

void AddFindings(const FindingsFile& file, findings::Report& report) {
  Names names(file);
  for (const Deadlock& deadlock : file.deadlocks) {
    if (!IsToldLater(file, deadlock)) findings::AddFinding(report, DeadlockFinding(deadlock, names));
  }
  for (const Race& race : file.races) findings::AddFinding(report, RaceFinding(race, names));
  LockCycles cycles = FindLockCycles(file.edges);
  for (const LockCycle& cycle : cycles.cycles) {
    if (Happened(file, cycle)) continue;  // said as a deadlock
    findings::AddFinding(report, CycleFinding(file.edges, cycle, names));
  }
  for (const Misuse& misuse : file.misuses) findings::AddFinding(report, MisuseFinding(misuse, names));
  report.coverage.threads += file.info.threads.size();
  report.coverage.bound = "one run: what it did not execute was not looked at";
  if (file.full) report.coverage.bound += "; more races or lock orders than the detector keeps";
  if (!cycles.complete) report.coverage.bound += "; the search for lock cycles was cut short";
}

}  // namespace heddle::detect
