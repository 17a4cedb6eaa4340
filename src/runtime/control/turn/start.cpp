#include "runtime/control/turn/start.h"

#include <sys/syscall.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/control/replay/checkpoint.h"
#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/processes.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/replay/step_log.h"
#include "runtime/control/report/places.h"
#include "runtime/control/search/c11.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/turn/control.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/others.h"
#include "runtime/control/turn/plain_access.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/memory/pages.h"
#include "runtime/memory/thread_heap.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "runtime/raw_syscall.h"
#include "sched/guided.h"
#include "sched/pct.h"
#include "sched/pos.h"
#include "sched/steer.h"
#include "sched/steer_race.h"
#include "sched/strategies.h"
#include "wire/environment.h"

namespace heddle::rt::control {

Visible g_visible = Visible::kAtomics;

namespace {

// The largest of them fits.
alignas(64) char g_first[sizeof(sched::Guided)];
static_assert(sizeof(sched::Guided) > sizeof(sched::Pct) && sizeof(sched::Guided) > sizeof(sched::Pos) &&
              sizeof(sched::Guided) > sizeof(sched::Steer) && sizeof(sched::Guided) > sizeof(sched::SteerRace));
alignas(64) char g_second[sizeof g_first];
const sched::Steer* g_steer = nullptr;
wire::Strategy g_kind = wire::Strategy::kRandom;
wire::Strategy g_then = wire::Strategy::kQueue;  // behind the end of a schedule
bool g_awaits_stuck = false;                     // a schedule that led to a deadlock has ended

sched::Strategy* MakeSteer(void* place) {
  const wire::SteerHeader* plan = LoadPlaces(getenv(wire::variable::kPlaces));
  if (plan == nullptr) return nullptr;
  if (plan->goal == wire::SteerGoal::kRace) return new (place) sched::SteerRace(g_options.seed, *plan);
  auto* steer = new (place) sched::Steer(g_options.seed, *plan);
  g_steer = steer;
  return steer;
}

sched::Strategy* MakeGuided(void* place) {
  const wire::Switch* switches = nullptr;
  uint64_t count = 0;
  if (!LoadSwitches(getenv(wire::variable::kSchedule), &switches, &count)) return nullptr;
  return new (place) sched::Guided(switches, count);
}

sched::Strategy* Make(wire::Strategy strategy, void* place) {
  uint64_t seed = g_options.seed;
  switch (strategy) {
    case wire::Strategy::kRoundRobin:
    case wire::Strategy::kFixed:
      return new (place) sched::RoundRobin;
    case wire::Strategy::kRandom:
      return new (place) sched::RandomWalk(seed);
    case wire::Strategy::kQueue:
      return new (place) sched::Queue;
    case wire::Strategy::kPos:
      return new (place) sched::Pos(seed);
    case wire::Strategy::kPct:
      return new (place) sched::Pct(seed, static_cast<uint32_t>(g_options.depth), g_options.length);
    case wire::Strategy::kGuided:
      return MakeGuided(place);
    case wire::Strategy::kSteer:
      return MakeSteer(place);
    case wire::Strategy::kExplore:
      return ExploreStrategy();
  }
  return nullptr;
}

bool Refuse(const char* option, const char* value) {
  Message("HEDDLE_OPTIONS: there is no such ", option, value);
  return false;
}

bool ChooseVisible() {
  if (wire::FromWord(g_options.visible, &g_visible)) return true;
  constexpr const char kAt[] = "atomics@";
  if (strncmp(g_options.visible, kAt, sizeof kAt - 1) == 0 && SetPlainPlaces(g_options.visible + sizeof kAt - 1)) {
    return true;
  }
  return Refuse("visible: ", g_options.visible);
}

bool ChooseCarrier() {
  wire::Carrier carrier = wire::Carrier::kOs;
  if (!wire::FromWord(g_options.carrier, &carrier)) return Refuse("carrier: ", g_options.carrier);
  if (carrier == wire::Carrier::kOs) {
    g_carrier = OsCarrier();
    return true;
  }
  g_carrier = FiberCarrier();
  if (g_carrier != nullptr) return true;
  Message("fibers need FSGSBASE, which this machine does not offer (heddle doctor): OS threads are used");
  g_carrier = OsCarrier();
  return true;
}

// Real clocks: first come, first served on OS threads, and replays of that. Other strategies choose, and so cannot let
// the kernel's clock decide: there real time means that waits last (WaitsLast).
bool ChooseTime() {
  g_virtual_time = !RealTime();
  if (g_options.alone) NeverExpectOthers();
  if (g_options.time == nullptr) return true;
  wire::TimeMode time = wire::TimeMode::kByStrategy;
  if (!wire::FromWord(g_options.time, &time)) return Refuse("time: ", g_options.time);
  if (time == wire::TimeMode::kByStrategy) return true;
  bool virtual_time = time == wire::TimeMode::kVirtual;
  if (RealTime() || IsReplay()) {
    g_virtual_time = virtual_time;
  } else {
    virtual_time ? NeverExpectOthers() : AlwaysExpectOthers();
  }
  return true;
}

// A search has no use for threads of the system: its executions are copies of a process, which has one.
bool FibersForSearch() {
  if (!Exploring() || g_on_fibers) return true;
  Message("exploration needs fibers (FSGSBASE), which this machine does not offer (heddle doctor)");
  return false;
}

}  // namespace

bool Start() {
  UseOwnPages();
  bool executed = IsExecuted();  // the schedule is not its own
  if (!wire::FromWord(g_options.strategy, &g_kind)) return Refuse("strategy: ", g_options.strategy);
  if (!wire::FromWord(g_options.then, &g_then)) return Refuse("strategy: ", g_options.then);
  bool own = g_kind == wire::Strategy::kFixed || g_kind == wire::Strategy::kGuided || g_kind == wire::Strategy::kSteer;
  if (executed && own) g_kind = g_then;
  if (executed) g_options.until = 0;
  bool explores = g_kind == wire::Strategy::kExplore;
  if (explores && !Exploring() && !StartExplore(getenv(wire::variable::kExplore))) return false;
  g_strategy = Make(g_kind, g_first);
  if (g_strategy == nullptr) return Refuse("strategy: ", g_options.strategy);
  if (Make(g_then, g_second) == nullptr) return Refuse("strategy: ", g_options.then);
  if (!ChooseVisible() || !ChooseCarrier()) return false;
  UseStrategy(g_strategy, g_carrier);
  if (!FibersForSearch() || !ChooseTime() || !StartC11()) return false;
  if (IsReplay() && !StartReplay(getenv(wire::variable::kSchedule))) return false;
  const char* steps = StreamPath(wire::variable::kSteps);
  if (!StartStepLog(steps) || (HasStream() && !StartDemo())) return false;
  if (g_demo == Demo::Record) StartRing(steps, StreamPath(wire::variable::kDemoOut));
  g_controlled = true;
  return true;
}

bool BecomeReplay(ControlThread* self, const ReplayFiles& files) {
  g_kind = wire::Strategy::kFixed;
  if (!wire::FromWord(g_options.then, &g_then)) return Refuse("strategy: ", g_options.then);
  ForgetOthers();
  self->fiber.fs = ReadFs();
  UseStrategy(Make(g_kind, g_first), FiberCarrier());
  g_carrier->Forked(self);
  if (!ChooseTime() || !StartReplay(files.schedule) || !StartStepLog(files.steps)) return false;
  if (!PlayFromCheckpoint(files.calls)) return false;
  // Whoever waits tries again when its step comes: then it succeeds.
  ForgetBlocked();
  g_head = nullptr;
  g_free = false;
  ForEachLive([](ControlThread* thread) {
    thread->blocked = thread->queued = thread->timed = thread->on_descriptor = false;
    thread->name = NameInSchedule(thread->id);
    g_enabled.Add(thread->slot);
    g_strategy->Begins(thread->slot);
    g_strategy->Named(thread->slot, thread->name);
  });
  return true;
}

sched::Strategy* MakeSampler(wire::Strategy strategy) { return Make(strategy, g_second); }

bool IsReplay() { return g_kind == wire::Strategy::kFixed; }

sched::Strategy* StrategyBehind() {
  if (!g_options.stuck) return Make(g_then, g_second);
  g_awaits_stuck = true;
  return Make(wire::Strategy::kPos, g_second);
}

bool MayBeStuck() { return g_awaits_stuck || (g_steer != nullptr && g_steer->Met()); }

bool RealTime() { return g_by_arrival && !g_on_fibers; }

void AdoptMainThread() {
  ControlThread* main = AddThread(t_hot.thread);
  if (main == nullptr) return;
  main->os_id = static_cast<int>(Sys(SYS_gettid));
  g_carrier->Enter(main);
  t_heap = ThreadHeap::OfSlot(main->slot);
  main->grant.store(g_by_arrival ? kPerform : kChoose);
}

}  // namespace heddle::rt::control
