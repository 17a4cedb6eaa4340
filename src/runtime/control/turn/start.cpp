#include "runtime/control/turn/start.h"

#include <sys/syscall.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/replay/step_log.h"
#include "runtime/control/report/places.h"
#include "runtime/control/search/c11.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/turn/control.h"
#include "runtime/control/turn/logical_time.h"
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
#include "sched/strategies.h"
#include "wire/environment.h"

namespace heddle::rt::control {

Visible g_visible = Visible::Atomics;

namespace {

// Whether others than the program's threads are expected to act.
enum class Others : uint8_t { Unknown, Expected, Never };
Others g_others = Others::Unknown;

// The largest of them fits.
alignas(64) char g_first[sizeof(sched::Guided)];
static_assert(sizeof(sched::Guided) > sizeof(sched::Pct) && sizeof(sched::Guided) > sizeof(sched::Pos) &&
              sizeof(sched::Guided) > sizeof(sched::Steer));
alignas(64) char g_second[sizeof g_first];
const sched::Steer* g_steer = nullptr;
bool g_awaits_stuck = false;  // a schedule that led to a deadlock has ended

sched::Strategy* MakeSteer(void* place) {
  const wire::SteerHeader* plan = LoadPlaces(getenv(wire::variable::kPlaces));
  if (plan == nullptr) return nullptr;
  auto* steer = new (place) sched::Steer(g_options.seed, *plan);
  g_steer = steer;
  return steer;
}

sched::Strategy* Make(const char* name, void* place) {
  uint64_t seed = g_options.seed;
  if (strcmp(name, "rr") == 0 || strcmp(name, "fixed") == 0) return new (place) sched::RoundRobin;
  if (strcmp(name, "random") == 0) return new (place) sched::RandomWalk(seed);
  if (strcmp(name, "queue") == 0) return new (place) sched::Queue;
  if (strcmp(name, "pos") == 0) return new (place) sched::Pos(seed);
  if (strcmp(name, "guided") == 0) {
    const wire::Switch* switches = nullptr;
    uint64_t count = 0;
    if (!LoadSwitches(getenv(wire::variable::kSchedule), &switches, &count)) return nullptr;
    return new (place) sched::Guided(switches, count);
  }
  if (strcmp(name, "steer") == 0) return MakeSteer(place);
  if (strcmp(name, "explore") == 0) return ExploreStrategy();
  if (strcmp(name, "pct") == 0) {
    return new (place) sched::Pct(seed, static_cast<uint32_t>(g_options.depth), g_options.length);
  }
  return nullptr;
}

bool Refuse(const char* option, const char* value) {
  Message("HEDDLE_OPTIONS: there is no such ", option, value);
  return false;
}

bool ChooseVisible() {
  if (strcmp(g_options.visible, "sync") == 0) g_visible = Visible::Sync;
  if (strcmp(g_options.visible, "all") == 0) g_visible = Visible::All;
  constexpr const char kAt[] = "atomics@";
  if (strncmp(g_options.visible, kAt, sizeof kAt - 1) == 0 && SetPlainPlaces(g_options.visible + sizeof kAt - 1)) {
    return true;
  }
  return g_visible != Visible::Atomics || strcmp(g_options.visible, "atomics") == 0 ||
         Refuse("visible: ", g_options.visible);
}

bool ChooseCarrier() {
  if (strcmp(g_options.carrier, "os") == 0) {
    g_carrier = OsCarrier();
    return true;
  }
  if (strcmp(g_options.carrier, "fiber") != 0) return Refuse("carrier: ", g_options.carrier);
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
  if (g_options.time == nullptr) return true;
  bool virtual_time = strcmp(g_options.time, "virtual") == 0;
  if (!virtual_time && strcmp(g_options.time, "real") != 0) return Refuse("time: ", g_options.time);
  bool replay = strcmp(g_options.strategy, "fixed") == 0;
  if (RealTime() || replay) {
    g_virtual_time = virtual_time;
  } else {
    g_others = virtual_time ? Others::Never : Others::Expected;
  }
  return true;
}

const char* PathFrom(const char* variable) {
  const char* path = getenv(variable);
  return path == nullptr || *path == '\0' ? nullptr : strdup(path);
}

// Programs that this one executes inherit the environment, but the schedule and the recording are not theirs. The mark
// is changed in place, so that nothing moves.
bool IsExecuted() {
  char* owner = getenv(wire::variable::kOwner);
  if (owner == nullptr || *owner == '\0') return false;
  bool executed = *owner == '1';
  *owner = '1';
  return executed;
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
  bool executed = IsExecuted();
  bool own = strcmp(g_options.strategy, "fixed") == 0 || strcmp(g_options.strategy, "guided") == 0 ||
             strcmp(g_options.strategy, "steer") == 0;
  if (executed && own) {
    g_options.strategy = g_options.then;
  }
  if (strcmp(g_options.strategy, "explore") == 0 && !Exploring() && !StartExplore(getenv(wire::variable::kExplore)))
    return false;
  g_strategy = Make(g_options.strategy, g_first);
  if (g_strategy == nullptr) return Refuse("strategy: ", g_options.strategy);
  if (Make(g_options.then, g_second) == nullptr) return Refuse("strategy: ", g_options.then);
  if (!ChooseVisible() || !ChooseCarrier()) return false;
  UseStrategy(g_strategy, g_carrier);
  if (!FibersForSearch() || !ChooseTime() || !StartC11()) return false;
  if (strcmp(g_options.strategy, "fixed") == 0) {
    if (!StartReplay(getenv(wire::variable::kSchedule))) return false;
  }
  if (!StartStepLog(PathFrom(wire::variable::kSteps)) || (!executed && !StartDemo())) return false;
  g_controlled = true;
  return true;
}

sched::Strategy* MakeSampler(const char* name) { return Make(name, g_second); }

sched::Strategy* StrategyBehind() {
  if (!g_options.stuck) return Make(g_options.then, g_second);
  g_awaits_stuck = true;
  return Make("pos", g_second);
}

bool MayBeStuck() { return g_awaits_stuck || (g_steer != nullptr && g_steer->Met()); }

bool RealTime() { return g_by_arrival && !g_on_fibers; }

bool WaitsLast() {
  return RealTime() || (g_others == Others::Expected && !g_by_arrival && !Replaying() && !Exploring());
}

void ExpectOthers() {
  if (g_others != Others::Unknown || g_by_arrival || Replaying() || Exploring()) return;
  g_others = Others::Expected;
  Message("the program listens on a socket: waits last as long as they say (--time-mode virtual: they take no time)");
}

void AdoptMainThread() {
  ControlThread* main = AddThread(t_hot.thread);
  if (main == nullptr) return;
  main->os_id = static_cast<int>(Sys(SYS_gettid));
  g_carrier->Enter(main);
  t_heap = ThreadHeap::OfSlot(main->slot);
  main->grant.store(g_by_arrival ? kPerform : kChoose);
}

}  // namespace heddle::rt::control
