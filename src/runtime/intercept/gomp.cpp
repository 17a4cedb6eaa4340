// OpenMP with gcc's runtime (libgomp), which has no tools interface: its entry points, which compiled code calls, are
// wrapped. The edges are those of openmp.cpp. One object stands for all barriers, one for all ends of tasks: an edge
// too many where teams run side by side.
#include <cstdlib>

#include "runtime/libc/real.h"
#include "runtime/memory/pages.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

// Objects, by their addresses.
char g_barrier[8] __attribute__((aligned(8)));
char g_tasks[8] __attribute__((aligned(8)));
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

// The function of libgomp.
template <typename F>
F* Behind(const char* name) {
  return reinterpret_cast<F*>(FindNext(name));
}

// What a member of the team runs.
struct Body {
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
void Parallel(void (*function)(void*), void* data, Run run) {
  alignas(16) Body body{function, data, {}, {}};
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

struct TaskBody {
  void (*function)(void*);
  char begin[8];
  alignas(16) char data[];
};
void RunTask(void* value) {
  auto* body = *static_cast<TaskBody**>(value);
  Learn(body->begin);
  body->function(body->data);
  Tell(g_tasks);
  free(body);
}

}  // namespace

HEDDLE_INTERCEPT void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  using Type = void(void (*)(void*), void*, unsigned, unsigned);
  static Type* const real = Behind<Type>("GOMP_parallel");
  Parallel(function, data, [&](void (*run)(void*), void* body) { real(run, body, threads, flags); });
}
#define HEDDLE_PARALLEL_LOOP(name)                                                                                   \
  HEDDLE_INTERCEPT void name(void (*function)(void*), void* data, unsigned threads, long begin, long end, long step, \
                             long chunk, unsigned flags) {                                                           \
    using Type = void(void (*)(void*), void*, unsigned, long, long, long, long, unsigned);                           \
    static Type* const real = Behind<Type>(#name);                                                                   \
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
    static Type* const real = Behind<Type>(#name);                                                                   \
    Parallel(function, data,                                                                                         \
             [&](void (*run)(void*), void* body) { real(run, body, threads, begin, end, step, flags); });            \
  }
HEDDLE_PARALLEL_RUNTIME(GOMP_parallel_loop_runtime)
HEDDLE_PARALLEL_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
HEDDLE_PARALLEL_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
HEDDLE_INTERCEPT void GOMP_parallel_sections(void (*function)(void*), void* data, unsigned threads, unsigned count,
                                             unsigned flags) {
  using Type = void(void (*)(void*), void*, unsigned, unsigned, unsigned);
  static Type* const real = Behind<Type>("GOMP_parallel_sections");
  Parallel(function, data, [&](void (*run)(void*), void* body) { real(run, body, threads, count, flags); });
}

#define HEDDLE_BARRIER(name)                         \
  HEDDLE_INTERCEPT void name() {                     \
    static auto* const real = Behind<void()>(#name); \
    WithBarrier([&] { real(); });                    \
  }
HEDDLE_BARRIER(GOMP_barrier)
HEDDLE_BARRIER(GOMP_loop_end)
HEDDLE_BARRIER(GOMP_sections_end)

// The one that runs the section hands its values to the others.
HEDDLE_INTERCEPT void* GOMP_single_copy_start() {
  static auto* const real = Behind<void*()>("GOMP_single_copy_start");
  Tell(g_barrier);
  void* values = real();
  Learn(g_single);
  Learn(g_barrier);
  return values;
}
HEDDLE_INTERCEPT void GOMP_single_copy_end(void* values) {
  static auto* const real = Behind<void(void*)>("GOMP_single_copy_end");
  Tell(g_single);
  WithBarrier([&] { real(values); });
}

#define HEDDLE_SECTION(begin, finish, place)           \
  HEDDLE_INTERCEPT void begin() {                      \
    static auto* const real = Behind<void()>(#begin);  \
    real();                                            \
    Learn(place);                                      \
  }                                                    \
  HEDDLE_INTERCEPT void finish() {                     \
    static auto* const real = Behind<void()>(#finish); \
    Tell(place);                                       \
    real();                                            \
  }
HEDDLE_SECTION(GOMP_critical_start, GOMP_critical_end, g_critical)
HEDDLE_SECTION(GOMP_atomic_start, GOMP_atomic_end, g_atomic)
HEDDLE_SECTION(GOMP_ordered_start, GOMP_ordered_end, g_ordered)
HEDDLE_INTERCEPT void GOMP_critical_name_start(void** name) {
  static auto* const real = Behind<void(void**)>("GOMP_critical_name_start");
  real(name);
  Learn(static_cast<void*>(name));
}
HEDDLE_INTERCEPT void GOMP_critical_name_end(void** name) {
  static auto* const real = Behind<void(void**)>("GOMP_critical_name_end");
  Tell(static_cast<void*>(name));
  real(name);
}

HEDDLE_INTERCEPT void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long bytes, long align,
                                bool deferred, unsigned flags, void** depend, int priority, void* detach) {
  using Type = void(void (*)(void*), void*, void (*)(void*, void*), long, long, bool, unsigned, void**, int, void*);
  static Type* const real = Behind<Type>("GOMP_task");
  TaskBody* body = nullptr;
  if (!Passive() && depend == nullptr && align <= 16) {
    body = static_cast<TaskBody*>(malloc(sizeof(TaskBody) + static_cast<size_t>(bytes) + 16));
  }
  if (body == nullptr) {
    // With dependences: all tasks in the order of their creation count as ordered.
    Learn(g_tasks);
    real(function, data, copy, bytes, align, deferred, flags, depend, priority, detach);
    return Tell(g_tasks);
  }
  body->function = function;
  if (copy != nullptr) {
    copy(body->data, data);
  } else {
    REAL(memcpy)(body->data, data, static_cast<size_t>(bytes));
  }
  Tell(body->begin);
  real(RunTask, static_cast<void*>(&body), nullptr, sizeof(TaskBody*), alignof(TaskBody*), deferred, flags, depend,
       priority, detach);
}
#define HEDDLE_TASKS_END(name)                       \
  HEDDLE_INTERCEPT void name() {                     \
    static auto* const real = Behind<void()>(#name); \
    real();                                          \
    Learn(g_tasks);                                  \
  }
HEDDLE_TASKS_END(GOMP_taskwait)
HEDDLE_TASKS_END(GOMP_taskgroup_end)

// Locks of the program, with both runtimes: libomp says them itself (openmp.cpp), once more does no harm.
#define HEDDLE_OMP_LOCK(set, unset, test)                  \
  HEDDLE_INTERCEPT void set(void* lock) {                  \
    static auto* const real = Behind<void(void*)>(#set);   \
    real(lock);                                            \
    Learn(lock);                                           \
  }                                                        \
  HEDDLE_INTERCEPT void unset(void* lock) {                \
    static auto* const real = Behind<void(void*)>(#unset); \
    Tell(lock);                                            \
    real(lock);                                            \
  }                                                        \
  HEDDLE_INTERCEPT int test(void* lock) {                  \
    static auto* const real = Behind<int(void*)>(#test);   \
    int taken = real(lock);                                \
    if (taken != 0) Learn(lock);                           \
    return taken;                                          \
  }
HEDDLE_OMP_LOCK(omp_set_lock, omp_unset_lock, omp_test_lock)
HEDDLE_OMP_LOCK(omp_set_nest_lock, omp_unset_nest_lock, omp_test_nest_lock)
