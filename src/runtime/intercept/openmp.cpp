// OpenMP with clang's runtime (libomp): a tool in the sense of OMPT, the tools interface of the OpenMP standard. libomp
// calls ompt_start_tool when it starts; the callbacks say what it orders, since its own code is not instrumented.
//
//   parallel   begin -> every implicit task's begin; every implicit task's end -> the end of the region
//   barrier    everybody's arrival -> everybody's departure (two objects in turn); all explicit tasks of the team end
//              before it does
//   task       creation -> begin; end -> the parent's taskwait, the taskgroup's end; dependences by their variables
//   doacross   an iteration's source -> the sinks that name it (ordered loops whose iterations wait for each other)
//   locks      critical, atomic, ordered, omp_lock: release -> acquire
//   reduction  the runtime combines the threads' copies by means of its own: not watched
//
// An edge is a release and an acquire at an address nobody else uses: numbers in a mapping that is never touched. They
// are used again after four million, which at worst hides something. The numbers of the standard's enumerations are
// named here, as the header is not needed for anything else.
#include <sys/mman.h>

#include "runtime/detect/sync_ops.h"
#include "runtime/libc/real.h"
#include "runtime/memory/pages.h"
#include "runtime/spin.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace {

union Data {  // ompt_data_t
  uint64_t value;
  void* pointer;
};
using Lookup = void* (*)(const char* name);
using SetCallback = int (*)(int callback, void (*function)());

enum Callback : int {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kSyncRegionWait = 16,
  kMutexReleased = 17,
  kDependences = 18,
  kSyncRegion = 23,
  kMutexAcquired = 27,
  kFlush = 29,
  kReduction = 31,
};
enum Endpoint : int { kBegin = 1, kEnd = 2, kBeginEnd = 3 };
enum Region : int { kTaskWait = 5, kTaskGroup = 6, kReductionRegion = 7 };
enum Status : int { kComplete = 1, kCancelled = 3, kDetached = 4, kEarlyFulfilled = 5, kLateFulfilled = 6 };
constexpr int kInitialTask = 1;
enum DependenceType : int { kIn = 1, kSource = 5, kSink = 6, kOutAllMemory = 34, kInOutAllMemory = 35 };

struct Dependence {  // ompt_dependence_t
  Data variable;
  int type;
};

uint64_t g_places = 0;
uint64_t g_next_place = 0;
constexpr uint64_t kPlaces = 1U << 22U;

uint64_t NewPlace() { return g_places + __atomic_fetch_add(&g_next_place, 1, __ATOMIC_RELAXED) % kPlaces * 8; }

void Acquire(uint64_t place) { Commit(MakeOp(Kind::Acquire, reinterpret_cast<void*>(place), nullptr)); }  // NOLINT
void Release(uint64_t place) { Commit(MakeOp(Kind::Release, reinterpret_cast<void*>(place), nullptr)); }  // NOLINT

// Places of a team. Every task has a copy: the last callback of a worker may come when the region is long over.
struct Places {
  uint64_t start;
  uint64_t end;
  uint64_t barrier[2];
  uint64_t tasks;  // the ends of its explicit tasks
};
struct Team {
  Team* next;
  Places places;
};

struct Group {
  Group* next;
  Group* outer;
  uint64_t place;
};

constexpr int kMaxDependences = 16;  // a task with more counts as one that depends on all memory

struct Task {
  Task* next;
  Places team;  // start 0: none
  Group* group;
  uint64_t start;
  uint64_t children;          // the ends of its children
  uint64_t parents_children;  // 0: an implicit task
  uint32_t phase;             // barriers passed
  int dependences;
  bool on_all_memory;
  Dependence on[kMaxDependences];
};

// Records of one kind; given back ones are used again and never unmapped: a late callback reads rubbish at worst.
template <typename T>
class Pool {
 public:
  T* Take() {
    SpinHolder hold(lock_);
    if (free_ == nullptr && !Fill()) return nullptr;
    T* taken = free_;
    free_ = taken->next;
    *taken = T{};
    return taken;
  }
  void Give(T* given) {
    SpinHolder hold(lock_);
    given->next = free_;
    free_ = given;
  }

 private:
  bool Fill() {
    constexpr size_t kCount = 256;
    auto* more = static_cast<T*>(MapPages(kCount * sizeof(T)));
    if (more == nullptr) return false;
    for (size_t i = 0; i < kCount; ++i) {
      more[i].next = free_;
      free_ = &more[i];
    }
    return true;
  }
  SpinLock lock_;
  T* free_ = nullptr;
};
constinit Pool<Team> g_teams;
constinit Pool<Task> g_tasks;
constinit Pool<Group> g_groups;

template <typename T>
T* Taken(Pool<T>& pool) {
  RuntimeScope scope;
  return pool.Take();
}
template <typename T>
void GiveBack(Pool<T>& pool, T* given) {
  RuntimeScope scope;
  pool.Give(given);
}

Task* TaskOf(const Data* data) { return data == nullptr ? nullptr : static_cast<Task*>(data->pointer); }
Team* TeamOf(const Data* data) { return data == nullptr ? nullptr : static_cast<Team*>(data->pointer); }

void ParallelBegin(Data*, const void*, Data* parallel, unsigned, int, const void*) {
  if (Passive()) return;
  Team* team = Taken(g_teams);
  parallel->pointer = team;
  if (team == nullptr) return;
  team->places = {NewPlace(), NewPlace(), {NewPlace(), NewPlace()}, NewPlace()};
  Release(team->places.start);
}

void ParallelEnd(Data* parallel, Data*, int, const void*) {
  Team* team = TeamOf(parallel);
  if (team == nullptr || Passive()) return;
  Acquire(team->places.end);
  Acquire(team->places.tasks);
  for (uint64_t barrier : team->places.barrier) Acquire(barrier);
  GiveBack(g_teams, team);
}

void ImplicitTask(int endpoint, Data* parallel, Data* data, unsigned, unsigned, int flags) {
  if (Passive()) return;
  if (endpoint == kEnd) {
    Task* task = TaskOf(data);
    if (task == nullptr) return;
    if (task->team.start != 0) Release(task->team.end);
    data->pointer = nullptr;
    return GiveBack(g_tasks, task);
  }
  Task* task = Taken(g_tasks);
  data->pointer = task;
  if (task == nullptr) return;
  task->children = NewPlace();
  const Team* team = (flags & kInitialTask) != 0 ? nullptr : TeamOf(parallel);
  if (team == nullptr) return;
  task->team = team->places;
  Acquire(task->team.start);
}

void ArriveAt(Task* task) {
  if (task->team.start != 0) Release(task->team.barrier[task->phase % 2]);
}
void DepartFrom(Task* task) {
  if (task->team.start == 0) return;
  Acquire(task->team.barrier[task->phase % 2]);
  Acquire(task->team.tasks);
  ++task->phase;
}

void GroupBegins(Task* task) {
  Group* group = Taken(g_groups);
  if (group == nullptr) return;
  *group = {nullptr, task->group, NewPlace()};
  task->group = group;
}
void GroupEnds(Task* task) {
  Group* group = task->group;
  if (group == nullptr) return;
  Acquire(group->place);
  task->group = group->outer;
  GiveBack(g_groups, group);
}

void SyncRegion(int kind, int endpoint, Data*, Data* data, const void*) {
  Task* task = TaskOf(data);
  if (task == nullptr || Passive()) return;
  bool begins = endpoint != kEnd;
  bool ends = endpoint != kBegin;
  if (kind == kTaskWait) {
    if (ends) Acquire(task->children);
  } else if (kind == kTaskGroup) {
    if (begins) GroupBegins(task);
    if (ends) GroupEnds(task);
  } else if (kind != kReductionRegion) {
    if (begins) ArriveAt(task);
    if (ends) DepartFrom(task);
  }
}

// The wait of a taskgroup ends before its task reductions are combined, by code of the program; the region ends behind
// that.
void SyncRegionWait(int kind, int endpoint, Data*, Data* data, const void*) {
  const Task* task = TaskOf(data);
  if (task == nullptr || kind != kTaskGroup || endpoint == kBegin || task->group == nullptr || Passive()) return;
  Acquire(task->group->place);
}

void Reduction(int, int endpoint, Data*, Data*, const void*) {
  if (g_mode <= Mode::Off || endpoint == kBeginEnd) return;
  t_hot.ignore += endpoint == kBegin ? 1U : -1U;
}

void TaskCreate(Data* parent_data, const void*, Data* data, int, int, const void*) {
  if (Passive()) return;
  const Task* parent = TaskOf(parent_data);
  Task* task = Taken(g_tasks);
  data->pointer = task;
  if (task == nullptr) return;
  task->start = NewPlace();
  task->children = NewPlace();
  task->team = parent == nullptr ? Places{} : parent->team;
  task->group = parent == nullptr ? nullptr : parent->group;
  task->parents_children = parent == nullptr ? NewPlace() : parent->children;
  Release(task->start);
}

// The place of one iteration, given by the counters of its nested loops. Loops of one team share places, and so do
// vectors with the same remainder: at worst that hides something.
uint64_t PlaceOfIteration(const Task& task, const Dependence* counters, int count) {
  constexpr uint64_t kMix = 0x9E3779B97F4A7C15;
  uint64_t hash = task.team.start;
  for (int i = 0; i < count; ++i) hash = (hash ^ counters[i].variable.value) * kMix;
  return g_places + (hash >> 32U) % kPlaces * 8;
}

// Called when the task is made, and at each source and sink of an ordered loop: a source before it lets others go, a
// sink after it waited.
void Dependences(Data* data, const Dependence* on, int count) {
  Task* task = TaskOf(data);
  if (task == nullptr || count <= 0 || Passive()) return;
  if (on[0].type == kSource) return Release(PlaceOfIteration(*task, on, count));
  if (on[0].type == kSink) return Acquire(PlaceOfIteration(*task, on, count));
  task->dependences = count < kMaxDependences ? count : kMaxDependences;
  task->on_all_memory = count > kMaxDependences;
  for (int i = 0; i < task->dependences; ++i) {
    task->on[i] = on[i];
    if (on[i].type == kOutAllMemory || on[i].type == kInOutAllMemory) task->on_all_memory = true;
  }
}

// Two objects for each variable, within its word: who only reads follows writers, who writes follows both.
uint64_t Written(const Dependence& on) { return on.variable.value; }
uint64_t Read(const Dependence& on) { return on.variable.value + 1; }

// The ends of the siblings with dependences, and of those among them that depend on all memory.
uint64_t DependentSiblings(const Task& task) { return task.parents_children + 1; }
uint64_t SiblingsOnAllMemory(const Task& task) { return task.parents_children + 2; }

void TaskBegins(Task* task) {
  if (task->start == 0) return;
  Acquire(task->start);
  if (task->dependences > 0) Acquire(task->on_all_memory ? DependentSiblings(*task) : SiblingsOnAllMemory(*task));
  for (int i = 0; i < task->dependences; ++i) {
    Acquire(Written(task->on[i]));
    if (task->on[i].type != kIn) Acquire(Read(task->on[i]));
  }
}

void TaskEnds(Task* task) {
  if (task->parents_children == 0) return;
  for (int i = 0; i < task->dependences; ++i) {
    Release(task->on[i].type == kIn ? Read(task->on[i]) : Written(task->on[i]));
  }
  if (task->dependences > 0) Release(DependentSiblings(*task));
  if (task->on_all_memory) Release(SiblingsOnAllMemory(*task));
  Release(task->parents_children);
  if (task->team.start != 0) Release(task->team.tasks);
  for (const Group* group = task->group; group != nullptr; group = group->outer) Release(group->place);
}

void TaskSchedule(Data* prior_data, int status, Data* next_data) {
  if (Passive()) return;
  Task* prior = TaskOf(prior_data);
  // A detached task ends twice: its body, and its event, which another thread may fulfil before or after that.
  bool half = status == kDetached || status == kEarlyFulfilled;
  bool over = status == kComplete || status == kCancelled || status == kLateFulfilled;
  if (prior != nullptr && (half || over) && prior->parents_children != 0) {
    TaskEnds(prior);
    if (over) {
      prior_data->pointer = nullptr;
      GiveBack(g_tasks, prior);
    }
  }
  Task* next = TaskOf(next_data);
  if (next != nullptr && next != prior) TaskBegins(next);
}

void MutexAcquired(int, uint64_t which, const void*) {
  if (!Passive()) Acquire(which);
}
void MutexReleased(int, uint64_t which, const void*) {
  if (!Passive()) Release(which);
}

void Flush(Data*, const void* pc) {
  if (Passive()) return;
  Op op = MakeOp(Kind::Fence, nullptr, pc);
  op.order = static_cast<uint8_t>(Order::SeqCst);
  Commit(op);
}

int Initialize(Lookup lookup, int, Data*) {
  auto set = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  auto add = [set](Callback which, auto* function) { set(which, reinterpret_cast<void (*)()>(function)); };
  add(kParallelBegin, ParallelBegin);
  add(kParallelEnd, ParallelEnd);
  add(kTaskCreate, TaskCreate);
  add(kTaskSchedule, TaskSchedule);
  add(kImplicitTask, ImplicitTask);
  add(kMutexReleased, MutexReleased);
  add(kDependences, Dependences);
  add(kSyncRegion, SyncRegion);
  add(kSyncRegionWait, SyncRegionWait);
  add(kMutexAcquired, MutexAcquired);
  add(kFlush, Flush);
  add(kReduction, Reduction);
  return 1;
}
void Finalize(Data*) {}

struct StartResult {  // ompt_start_tool_result_t
  int (*initialize)(Lookup lookup, int device, Data* data);
  void (*finalize)(Data* data);
  Data data;
};
StartResult g_result = {Initialize, Finalize, {0}};

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

// Null: no tool, and libomp does without the callbacks.
HEDDLE_INTERCEPT void* ompt_start_tool(unsigned, const char*) {
  if (g_mode == Mode::Unknown) Start();
  if (g_mode != Mode::Detect && g_mode != Mode::Trace) return nullptr;
  if (g_places == 0) {
    void* mapped = REAL(mmap)(nullptr, kPlaces * 8, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    g_places = reinterpret_cast<uint64_t>(mapped);
  }
  return &g_result;
}
