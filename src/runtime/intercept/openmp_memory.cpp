// Memory that OpenMP's library hands out: tasks with what they share, and the blocks of omp_alloc. libomp keeps both in
// pools of its own, from which memory goes from thread to thread by means that are not seen; so each piece is known
// when the program gets it, as with malloc. Giving back is not told: the library decides when a pool goes back to the
// system, and a use of a block behind omp_free is seen only when the block has another owner.
#include <cstddef>
#include <cstdint>

#include "runtime/intercept/openmp_library.h"
#include "runtime/spin.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

struct KmpTask {  // how kmp_task_t begins; what the task shares lies behind the task in the same block
  void* shareds;
  void* routine;
};
using TaskDup = void(KmpTask* to, KmpTask* from, int is_last);

// What is known of the tasks that run one routine. The library copies the task of a taskloop, and the copy's variables
// are made by a function of the program.
struct TaskShape {
  void* routine;
  size_t bytes;
  TaskDup* dup;
};
constexpr size_t kShapes = 4096;  // routines beyond are left alone
SpinLock g_shapes_lock;
TaskShape g_shapes[kShapes];

// The entry of a routine, or the free one where it belongs; null: the table is full. The lock is held.
TaskShape* ShapeOf(void* routine) {
  constexpr size_t kFunctionAlignment = 16;
  size_t at = reinterpret_cast<size_t>(routine) / kFunctionAlignment;
  for (size_t i = 0; i < kShapes; ++i) {
    TaskShape* shape = &g_shapes[(at + i) % kShapes];
    if (shape->routine == routine || shape->routine == nullptr) return shape;
  }
  return nullptr;
}

void RememberBytes(void* routine, size_t bytes) {
  RuntimeScope scope;
  SpinHolder hold(g_shapes_lock);
  TaskShape* shape = ShapeOf(routine);
  if (shape != nullptr) *shape = {routine, bytes, shape->dup};
}

// Whether `dup` can be found again from a copy.
bool RememberDup(void* routine, TaskDup* dup) {
  RuntimeScope scope;
  SpinHolder hold(g_shapes_lock);
  TaskShape* shape = ShapeOf(routine);
  if (shape == nullptr || shape->routine == nullptr) return false;
  shape->dup = dup;
  return true;
}

TaskShape KnownShape(void* routine) {
  RuntimeScope scope;
  SpinHolder hold(g_shapes_lock);
  return *ShapeOf(routine);
}

void* Made(void* block, size_t bytes, const void* pc) {
  if (block != nullptr && !Passive()) Commit(MakeOp(Kind::Alloc, block, pc, bytes));
  return block;
}

KmpTask* MadeTask(KmpTask* task, size_t own, size_t shared, const void* pc) {
  if (task == nullptr || Passive()) return task;
  size_t bytes = own;
  if (shared != 0) {
    bytes = static_cast<size_t>(static_cast<char*>(task->shareds) - reinterpret_cast<char*>(task)) + shared;
  }
  RememberBytes(task->routine, bytes);
  Made(task, bytes, pc);
  return task;
}

void Dup(KmpTask* to, KmpTask* from, int is_last) {
  TaskShape shape = KnownShape(from->routine);
  Made(to, shape.bytes, reinterpret_cast<const void*>(shape.dup));
  shape.dup(to, from, is_last);
}

TaskDup* WatchedDup(const KmpTask* task, TaskDup* dup) {
  return dup != nullptr && !Passive() && RememberDup(task->routine, dup) ? Dup : dup;
}

}  // namespace

#define HEDDLE_REAL_OPENMP(type, name) \
  using Type = type;                   \
  static Type* const real = BehindOpenMp<Type>(name);

HEDDLE_INTERCEPT KmpTask* __kmpc_omp_task_alloc(void* place, int thread, int flags, size_t own, size_t shared,
                                                void* routine) {
  HEDDLE_REAL_OPENMP(KmpTask * (void*, int, int, size_t, size_t, void*), "__kmpc_omp_task_alloc")
  return MadeTask(real(place, thread, flags, own, shared, routine), own, shared, HEDDLE_PC);
}

HEDDLE_INTERCEPT KmpTask* __kmpc_omp_target_task_alloc(void* place, int thread, int flags, size_t own, size_t shared,
                                                       void* routine, int64_t device) {
  HEDDLE_REAL_OPENMP(KmpTask * (void*, int, int, size_t, size_t, void*, int64_t), "__kmpc_omp_target_task_alloc")
  return MadeTask(real(place, thread, flags, own, shared, routine, device), own, shared, HEDDLE_PC);
}

HEDDLE_INTERCEPT void __kmpc_taskloop(void* place, int thread, KmpTask* task, int condition, uint64_t* lower,
                                      uint64_t* upper, int64_t stride, int no_group, int schedule, uint64_t grain,
                                      TaskDup* dup) {
  HEDDLE_REAL_OPENMP(void(void*, int, KmpTask*, int, uint64_t*, uint64_t*, int64_t, int, int, uint64_t, TaskDup*),
                     "__kmpc_taskloop")
  real(place, thread, task, condition, lower, upper, stride, no_group, schedule, grain, WatchedDup(task, dup));
}

HEDDLE_INTERCEPT void __kmpc_taskloop_5(void* place, int thread, KmpTask* task, int condition, uint64_t* lower,
                                        uint64_t* upper, int64_t stride, int no_group, int schedule, uint64_t grain,
                                        int modifier, TaskDup* dup) {
  HEDDLE_REAL_OPENMP(void(void*, int, KmpTask*, int, uint64_t*, uint64_t*, int64_t, int, int, uint64_t, int, TaskDup*),
                     "__kmpc_taskloop_5")
  real(place, thread, task, condition, lower, upper, stride, no_group, schedule, grain, modifier,
       WatchedDup(task, dup));
}

HEDDLE_INTERCEPT void* omp_alloc(size_t bytes, uintptr_t allocator) {
  HEDDLE_REAL_OPENMP(void*(size_t, uintptr_t), "omp_alloc")
  return Made(real(bytes, allocator), bytes, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* omp_aligned_alloc(size_t alignment, size_t bytes, uintptr_t allocator) {
  HEDDLE_REAL_OPENMP(void*(size_t, size_t, uintptr_t), "omp_aligned_alloc")
  return Made(real(alignment, bytes, allocator), bytes, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* omp_calloc(size_t count, size_t bytes, uintptr_t allocator) {
  HEDDLE_REAL_OPENMP(void*(size_t, size_t, uintptr_t), "omp_calloc")
  return Made(real(count, bytes, allocator), count * bytes, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* omp_aligned_calloc(size_t alignment, size_t count, size_t bytes, uintptr_t allocator) {
  HEDDLE_REAL_OPENMP(void*(size_t, size_t, size_t, uintptr_t), "omp_aligned_calloc")
  return Made(real(alignment, count, bytes, allocator), count * bytes, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* omp_realloc(void* block, size_t bytes, uintptr_t allocator, uintptr_t free_allocator) {
  HEDDLE_REAL_OPENMP(void*(void*, size_t, uintptr_t, uintptr_t), "omp_realloc")
  return Made(real(block, bytes, allocator, free_allocator), bytes, HEDDLE_PC);
}

// What `#pragma omp allocate` becomes.
HEDDLE_INTERCEPT void* __kmpc_alloc(int thread, size_t bytes, uintptr_t allocator) {
  HEDDLE_REAL_OPENMP(void*(int, size_t, uintptr_t), "__kmpc_alloc")
  return Made(real(thread, bytes, allocator), bytes, HEDDLE_PC);
}
HEDDLE_INTERCEPT void* __kmpc_aligned_alloc(int thread, size_t alignment, size_t bytes, uintptr_t allocator) {
  HEDDLE_REAL_OPENMP(void*(int, size_t, size_t, uintptr_t), "__kmpc_aligned_alloc")
  return Made(real(thread, alignment, bytes, allocator), bytes, HEDDLE_PC);
}
