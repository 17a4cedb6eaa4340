// OpenMP with gcc's runtime (libgomp), which has no tools interface: its entry points, which compiled code calls, are
// wrapped. The edges are those of openmp.cpp. One object stands for all barriers, one for all ends of tasks, one for
// all dependences, one for the posts of all ordered loops: an edge too many where teams run side by side.
#include <cstdlib>

#include "runtime/intercept/openmp_library.h"
#include "runtime/memory/pages.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

// Objects, by their addresses.
char g_barrier[8] __attribute__((aligned(8)));
char g_tasks[8] __attribute__((aligned(8)));
char g_dependent[8] __attribute__((aligned(8)));
char g_doacross[8] __attribute__((aligned(8)));
char g_critical[8] __attribute__((aligned(8)));
char g_atomic[8] __attribute__((aligned(8)));
char g_ordered[8] __attribute__((aligned(8)));
char g_single[8] __attribute__((aligned(8)));

void Learn(const void* place) {
  if (!Passive()) Commit(MakeOp(Kind::Acquire, place, nullptr));
}
void Tell(const void* place) {
  if (!Passive()) Commit(MakeOp(Kind::Release, place, nullptr));
}

// What a member of the team runs. libgomp reads the registration of task reductions from the first word.
struct Body {
  void* reductions;
  void (*function)(void*);
  void* data;
  char begin[8];
  char end[8];
};
void RunBody(void* value) {
  auto* body = static_cast<Body*>(value);
  Learn(body->begin);
  body->function(body->data);
  Tell(body->end);
}

// Calls `run(RunBody, &body)` around which the team lives.
template <typename Run>
void Parallel(void (*function)(void*), void* data, Run run, void* reductions = nullptr) {
  alignas(16) Body body{reductions, function, data, {}, {}};
  Tell(body.begin);
  run(RunBody, &body);
  Learn(body.end);
  Learn(g_tasks);
}

// A barrier at the end of what `call` ends.
template <typename Call>
void WithBarrier(Call call) {
  Tell(g_barrier);
  call();
  Learn(g_barrier);
  Learn(g_tasks);
}

constexpr long kTaskAlignment = 16;  // further asked for: the task is not wrapped
enum TaskFlag : unsigned { kNoGroup = 1U << 11U, kDetach = 1U << 13U };

struct TaskBody {
  void (*function)(void*);
  char begin[8];
  bool dependent;
  alignas(kTaskAlignment) char data[];
};

// What libgomp copies into its task. It puts the event of a detached task first, as it would in the program's data.
struct TaskArgument {
  void* event;
  TaskBody* body;
  bool detached;
};

TaskBody* MakeBody(void (*function)(void*), const void* data, void (*copy)(void*, void*), long bytes) {
  auto* body = static_cast<TaskBody*>(malloc(sizeof(TaskBody) + static_cast<size_t>(bytes) + kTaskAlignment));
  if (body == nullptr) return nullptr;
  body->function = function;
  body->dependent = false;
  if (copy != nullptr) {
    copy(body->data, const_cast<void*>(data));  // NOLINT: as libgomp's own type
  } else {
    REAL(memcpy)(body->data, data, static_cast<size_t>(bytes));
  }
  return body;
}

void RunTaskBody(TaskBody* body) {
  Learn(body->begin);
  if (body->dependent) Learn(g_dependent);
  body->function(body->data);
  if (body->dependent) Tell(g_dependent);
  Tell(g_tasks);
  free(body);
}

void RunTask(void* value) {
  auto* argument = static_cast<TaskArgument*>(value);
  if (argument->detached) REAL(memcpy)(argument->body->data, static_cast<const void*>(&argument->event), sizeof(void*));
  RunTaskBody(argument->body);
}

// The tasks of a taskloop: libgomp copies the data for each of them, and writes its part of the loop to the first two
// words. It reads the registration of reductions from the third.
struct LoopArgument {
  long begin;
  long end;
  TaskBody* body;
};
struct LoopSource {
  long begin;
  long end;
  void* reductions;
  void (*function)(void*);
  const void* data;
  void (*copy)(void*, void*);
  long bytes;
};
void CopyLoopTask(void* to, void* from) {
  const auto* source = static_cast<const LoopSource*>(from);
  TaskBody* body = MakeBody(source->function, source->data, source->copy, source->bytes);
  if (body == nullptr) abort();  // libgomp too gives up without memory
  Tell(body->begin);
  static_cast<LoopArgument*>(to)->body = body;
}
void RunLoopTask(void* value) {
  auto* argument = static_cast<LoopArgument*>(value);
  REAL(memcpy)(argument->body->data, argument, 2 * sizeof(long));
  RunTaskBody(argument->body);
}

}  // namespace

HEDDLE_INTERCEPT void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  using Type = void(void (*)(void*), void*, unsigned, unsigned);
  static Type* const real = BehindOpenMp<Type>("GOMP_parallel");
  Parallel(function, data, [&](void (*run)(void*), void* body) { real(run, body, threads, flags); });
}
HEDDLE_INTERCEPT unsigned GOMP_parallel_reductions(void (*function)(void*), void* data, unsigned threads,
                                                   unsigned flags) {
  using Type = unsigned(void (*)(void*), void*, unsigned, unsigned);
  static Type* const real = BehindOpenMp<Type>("GOMP_parallel_reductions");
  unsigned members = 0;
  Parallel(
      function, data, [&](void (*run)(void*), void* body) { members = real(run, body, threads, flags); },
      *static_cast<void**>(data));
  return members;
}
HEDDLE_INTERCEPT void GOMP_teams_reg(void (*function)(void*), void* data, unsigned teams, unsigned limit,
                                     unsigned flags) {
  using Type = void(void (*)(void*), void*, unsigned, unsigned, unsigned);
  static Type* const real = BehindOpenMp<Type>("GOMP_teams_reg");
  Parallel(function, data, [&](void (*run)(void*), void* body) { real(run, body, teams, limit, flags); });
}
#define HEDDLE_PARALLEL_LOOP(name)                                                                                   \
  HEDDLE_INTERCEPT void name(void (*function)(void*), void* data, unsigned threads, long begin, long end, long step, \
                             long chunk, unsigned flags) {                                                           \
    using Type = void(void (*)(void*), void*, unsigned, long, long, long, long, unsigned);                           \
    static Type* const real = BehindOpenMp<Type>(#name);                                                             \
    Parallel(function, data,                                                                                         \
             [&](void (*run)(void*), void* body) { real(run, body, threads, begin, end, step, chunk, flags); });     \
  }
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_static)
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_guided)
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
#define HEDDLE_PARALLEL_RUNTIME(name)                                                                                \
  HEDDLE_INTERCEPT void name(void (*function)(void*), void* data, unsigned threads, long begin, long end, long step, \
                             unsigned flags) {                                                                       \
    using Type = void(void (*)(void*), void*, unsigned, long, long, long, unsigned);                                 \
    static Type* const real = BehindOpenMp<Type>(#name);                                                             \
    Parallel(function, data,                                                                                         \
             [&](void (*run)(void*), void* body) { real(run, body, threads, begin, end, step, flags); });            \
  }
HEDDLE_PARALLEL_RUNTIME(GOMP_parallel_loop_runtime)
HEDDLE_PARALLEL_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
HEDDLE_PARALLEL_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
HEDDLE_INTERCEPT void GOMP_parallel_sections(void (*function)(void*), void* data, unsigned threads, unsigned count,
                                             unsigned flags) {
  using Type = void(void (*)(void*), void*, unsigned, unsigned, unsigned);
  static Type* const real = BehindOpenMp<Type>("GOMP_parallel_sections");
  Parallel(function, data, [&](void (*run)(void*), void* body) { real(run, body, threads, count, flags); });
}

#define HEDDLE_BARRIER(name)                               \
  HEDDLE_INTERCEPT void name() {                           \
    static auto* const real = BehindOpenMp<void()>(#name); \
    WithBarrier([&] { real(); });                          \
  }
HEDDLE_BARRIER(GOMP_barrier)
HEDDLE_BARRIER(GOMP_loop_end)
HEDDLE_BARRIER(GOMP_sections_end)

// Where a region may be cancelled: whether it was.
#define HEDDLE_CANCELLABLE_BARRIER(name)                   \
  HEDDLE_INTERCEPT bool name() {                           \
    static auto* const real = BehindOpenMp<bool()>(#name); \
    bool cancelled = false;                                \
    WithBarrier([&] { cancelled = real(); });              \
    return cancelled;                                      \
  }
HEDDLE_CANCELLABLE_BARRIER(GOMP_barrier_cancel)
HEDDLE_CANCELLABLE_BARRIER(GOMP_loop_end_cancel)
HEDDLE_CANCELLABLE_BARRIER(GOMP_sections_end_cancel)

// The one that runs the section hands its values to the others.
HEDDLE_INTERCEPT void* GOMP_single_copy_start() {
  static auto* const real = BehindOpenMp<void*()>("GOMP_single_copy_start");
  Tell(g_barrier);
  void* values = real();
  Learn(g_single);
  Learn(g_barrier);
  return values;
}
HEDDLE_INTERCEPT void GOMP_single_copy_end(void* values) {
  static auto* const real = BehindOpenMp<void(void*)>("GOMP_single_copy_end");
  Tell(g_single);
  WithBarrier([&] { real(values); });
}

#define HEDDLE_SECTION(begin, finish, place)                 \
  HEDDLE_INTERCEPT void begin() {                            \
    static auto* const real = BehindOpenMp<void()>(#begin);  \
    real();                                                  \
    Learn(place);                                            \
  }                                                          \
  HEDDLE_INTERCEPT void finish() {                           \
    static auto* const real = BehindOpenMp<void()>(#finish); \
    Tell(place);                                             \
    real();                                                  \
  }
HEDDLE_SECTION(GOMP_critical_start, GOMP_critical_end, g_critical)
HEDDLE_SECTION(GOMP_atomic_start, GOMP_atomic_end, g_atomic)
HEDDLE_SECTION(GOMP_ordered_start, GOMP_ordered_end, g_ordered)
HEDDLE_INTERCEPT void GOMP_critical_name_start(void** name) {
  static auto* const real = BehindOpenMp<void(void**)>("GOMP_critical_name_start");
  real(name);
  Learn(static_cast<void*>(name));
}
HEDDLE_INTERCEPT void GOMP_critical_name_end(void** name) {
  static auto* const real = BehindOpenMp<void(void**)>("GOMP_critical_name_end");
  Tell(static_cast<void*>(name));
  real(name);
}

HEDDLE_INTERCEPT void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long bytes, long align,
                                bool deferred, unsigned flags, void** depend, int priority, void* detach) {
  using Type = void(void (*)(void*), void*, void (*)(void*, void*), long, long, bool, unsigned, void**, int, void*);
  static Type* const real = BehindOpenMp<Type>("GOMP_task");
  TaskBody* body = Passive() || align > kTaskAlignment ? nullptr : MakeBody(function, data, copy, bytes);
  if (body == nullptr) return real(function, data, copy, bytes, align, deferred, flags, depend, priority, detach);
  body->dependent = depend != nullptr;
  TaskArgument argument{nullptr, body, (flags & kDetach) != 0};
  Tell(body->begin);
  real(RunTask, &argument, nullptr, sizeof(argument), alignof(TaskArgument), deferred, flags, depend, priority, detach);
  if (argument.detached && data != nullptr)
    REAL(memcpy)(data, static_cast<const void*>(&argument.event), sizeof(void*));  // the program reads it there
}

#define HEDDLE_TASKLOOP(name, Counter)                                                                                \
  HEDDLE_INTERCEPT void name(void (*function)(void*), void* data, void (*copy)(void*, void*), long bytes, long align, \
                             unsigned flags, unsigned long tasks, int priority, Counter begin, Counter end,           \
                             Counter step) {                                                                          \
    using Type = void(void (*)(void*), void*, void (*)(void*, void*), long, long, unsigned, unsigned long, int,       \
                      Counter, Counter, Counter);                                                                     \
    static Type* const real = BehindOpenMp<Type>(#name);                                                              \
    if (Passive() || align > kTaskAlignment) {                                                                        \
      return real(function, data, copy, bytes, align, flags, tasks, priority, begin, end, step);                      \
    }                                                                                                                 \
    LoopSource source{0, 0, nullptr, function, data, copy, bytes};                                                    \
    if (bytes >= static_cast<long>(3 * sizeof(long))) REAL(memcpy)(&source, data, 3 * sizeof(long));                  \
    real(RunLoopTask, &source, CopyLoopTask, sizeof(LoopArgument), alignof(LoopArgument), flags, tasks, priority,     \
         begin, end, step);                                                                                           \
    if ((flags & kNoGroup) == 0) Learn(g_tasks);                                                                      \
  }
HEDDLE_TASKLOOP(GOMP_taskloop, long)
HEDDLE_TASKLOOP(GOMP_taskloop_ull, unsigned long long)

// A detached task is over when its event is fulfilled, by whatever thread.
HEDDLE_INTERCEPT void omp_fulfill_event(unsigned long event) {
  static auto* const real = BehindOpenMp<void(unsigned long)>("omp_fulfill_event");
  Tell(g_tasks);
  real(event);
}

#define HEDDLE_TASKS_END(name)                             \
  HEDDLE_INTERCEPT void name() {                           \
    static auto* const real = BehindOpenMp<void()>(#name); \
    real();                                                \
    Learn(g_tasks);                                        \
  }
HEDDLE_TASKS_END(GOMP_taskwait)
HEDDLE_TASKS_END(GOMP_taskgroup_end)
HEDDLE_INTERCEPT void GOMP_taskwait_depend(void** depend) {
  static auto* const real = BehindOpenMp<void(void**)>("GOMP_taskwait_depend");
  real(depend);
  Learn(g_dependent);
}

// Iterations of ordered loops that wait for each other. How many counters a wait has, only the loop knows: as many as a
// call can have words are passed on, and libgomp reads those that there are.
#define HEDDLE_DOACROSS(post, wait, Counter)                                                                           \
  HEDDLE_INTERCEPT void post(Counter* counters) {                                                                      \
    static auto* const real = BehindOpenMp<void(Counter*)>(#post);                                                     \
    Tell(g_doacross);                                                                                                  \
    real(counters);                                                                                                    \
  }                                                                                                                    \
  HEDDLE_INTERCEPT void wait(Counter a, Counter b, Counter c, Counter d, Counter e, Counter f, Counter g, Counter h) { \
    static auto* const real = BehindOpenMp<void(Counter, ...)>(#wait);                                                 \
    real(a, b, c, d, e, f, g, h);                                                                                      \
    Learn(g_doacross);                                                                                                 \
  }
HEDDLE_DOACROSS(GOMP_doacross_post, GOMP_doacross_wait, long)
HEDDLE_DOACROSS(GOMP_doacross_ull_post, GOMP_doacross_ull_wait, unsigned long long)

// Locks of the program, with both runtimes: libomp says them itself (openmp.cpp), once more does no harm.
#define HEDDLE_OMP_LOCK(set, unset, test)                        \
  HEDDLE_INTERCEPT void set(void* lock) {                        \
    static auto* const real = BehindOpenMp<void(void*)>(#set);   \
    real(lock);                                                  \
    Learn(lock);                                                 \
  }                                                              \
  HEDDLE_INTERCEPT void unset(void* lock) {                      \
    static auto* const real = BehindOpenMp<void(void*)>(#unset); \
    Tell(lock);                                                  \
    real(lock);                                                  \
  }                                                              \
  HEDDLE_INTERCEPT int test(void* lock) {                        \
    static auto* const real = BehindOpenMp<int(void*)>(#test);   \
    int taken = real(lock);                                      \
    if (taken != 0) Learn(lock);                                 \
    return taken;                                                \
  }
HEDDLE_OMP_LOCK(omp_set_lock, omp_unset_lock, omp_test_lock)
HEDDLE_OMP_LOCK(omp_set_nest_lock, omp_unset_nest_lock, omp_test_nest_lock)
