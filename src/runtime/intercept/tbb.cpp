// oneTBB, and with it the parallel algorithms of libstdc++: how tasks travel is inside libtbb.so, which is not
// instrumented; the rest of it is headers that are. A task's creation comes before it runs (the pass plugin acquires at
// the beginning of its function, pass/tbb_tasks.h), what a wait waited for comes before its return, and the memory of
// tasks is used again like any other.
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

void Tell(const void* task, const void* pc) {
  if (!Passive()) Commit(MakeOp(Kind::Release, task, pc));
}
// A wait_context is a version and the count of what is still to come, which those who finish decrease.
void Waited(const char* context, const void* pc) {
  if (!Passive()) Commit(MakeOp(Kind::Acquire, context + 8, pc));
}
void* Made(void* block, size_t bytes, const void* pc) {
  if (block != nullptr && !Passive()) Commit(MakeOp(Kind::Alloc, block, pc, bytes));
  return block;
}
void Gone(void* block, const void* pc) {
  if (!Passive()) Commit(MakeOp(Kind::Free, block, pc));
}

}  // namespace

// Named by what the linker knows them as; the types of references do not matter here.
#define HEDDLE_REAL_TBB(type, name) \
  using Type = type;                \
  static Type* const real = reinterpret_cast<Type*>(FindNext(name));

#define HEDDLE_SPAWN "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE"
HEDDLE_INTERCEPT void HeddleTbbSpawn(void* task, void* context) __asm__(HEDDLE_SPAWN);
void HeddleTbbSpawn(void* task, void* context) {
  HEDDLE_REAL_TBB(void(void*, void*), HEDDLE_SPAWN)
  Tell(task, HEDDLE_PC);
  real(task, context);
}
#define HEDDLE_SPAWN_AT "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt"
HEDDLE_INTERCEPT void HeddleTbbSpawnAt(void* task, void* context, unsigned short slot) __asm__(HEDDLE_SPAWN_AT);
void HeddleTbbSpawnAt(void* task, void* context, unsigned short slot) {
  HEDDLE_REAL_TBB(void(void*, void*, unsigned short), HEDDLE_SPAWN_AT)
  Tell(task, HEDDLE_PC);
  real(task, context, slot);
}
#define HEDDLE_SUBMIT "_ZN3tbb6detail2r16submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm"
HEDDLE_INTERCEPT void HeddleTbbSubmit(void* task, void* context, void* arena, unsigned long how) __asm__(HEDDLE_SUBMIT);
void HeddleTbbSubmit(void* task, void* context, void* arena, unsigned long how) {
  HEDDLE_REAL_TBB(void(void*, void*, void*, unsigned long), HEDDLE_SUBMIT)
  Tell(task, HEDDLE_PC);
  real(task, context, arena, how);
}
#define HEDDLE_ENQUEUE "_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"
HEDDLE_INTERCEPT void HeddleTbbEnqueue(void* task, void* arena) __asm__(HEDDLE_ENQUEUE);
void HeddleTbbEnqueue(void* task, void* arena) {
  HEDDLE_REAL_TBB(void(void*, void*), HEDDLE_ENQUEUE)
  Tell(task, HEDDLE_PC);
  real(task, arena);
}
#define HEDDLE_ENQUEUE_IN "_ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE"
HEDDLE_INTERCEPT void HeddleTbbEnqueueIn(void* task, void* context, void* arena) __asm__(HEDDLE_ENQUEUE_IN);
void HeddleTbbEnqueueIn(void* task, void* context, void* arena) {
  HEDDLE_REAL_TBB(void(void*, void*, void*), HEDDLE_ENQUEUE_IN)
  Tell(task, HEDDLE_PC);
  real(task, context, arena);
}
#define HEDDLE_EXECUTE \
  "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_"
HEDDLE_INTERCEPT void HeddleTbbExecute(void* task, void* context, char* wait, void* waiting) __asm__(HEDDLE_EXECUTE);
void HeddleTbbExecute(void* task, void* context, char* wait, void* waiting) {
  HEDDLE_REAL_TBB(void(void*, void*, void*, void*), HEDDLE_EXECUTE)
  Tell(task, HEDDLE_PC);
  real(task, context, wait, waiting);
  Waited(wait, HEDDLE_PC);
}
#define HEDDLE_WAIT "_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE"
HEDDLE_INTERCEPT void HeddleTbbWait(char* wait, void* context) __asm__(HEDDLE_WAIT);
void HeddleTbbWait(char* wait, void* context) {
  HEDDLE_REAL_TBB(void(void*, void*), HEDDLE_WAIT)
  real(wait, context);
  Waited(wait, HEDDLE_PC);
}
#define HEDDLE_TAKE "_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm"
HEDDLE_INTERCEPT void* HeddleTbbTake(void* pool, size_t bytes) __asm__(HEDDLE_TAKE);
void* HeddleTbbTake(void* pool, size_t bytes) {
  HEDDLE_REAL_TBB(void*(void*, size_t), HEDDLE_TAKE)
  return Made(real(pool, bytes), bytes, HEDDLE_PC);
}
#define HEDDLE_TAKE_IN "_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE"
HEDDLE_INTERCEPT void* HeddleTbbTakeIn(void* pool, size_t bytes, void* data) __asm__(HEDDLE_TAKE_IN);
void* HeddleTbbTakeIn(void* pool, size_t bytes, void* data) {
  HEDDLE_REAL_TBB(void*(void*, size_t, void*), HEDDLE_TAKE_IN)
  return Made(real(pool, bytes, data), bytes, HEDDLE_PC);
}
#define HEDDLE_GIVE "_ZN3tbb6detail2r110deallocateERNS0_2d117small_object_poolEPvm"
HEDDLE_INTERCEPT void HeddleTbbGive(void* pool, void* block, size_t bytes) __asm__(HEDDLE_GIVE);
void HeddleTbbGive(void* pool, void* block, size_t bytes) {
  HEDDLE_REAL_TBB(void(void*, void*, size_t), HEDDLE_GIVE)
  Gone(block, HEDDLE_PC);
  real(pool, block, bytes);
}
#define HEDDLE_GIVE_IN "_ZN3tbb6detail2r110deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE"
HEDDLE_INTERCEPT void HeddleTbbGiveIn(void* pool, void* block, size_t bytes, void* data) __asm__(HEDDLE_GIVE_IN);
void HeddleTbbGiveIn(void* pool, void* block, size_t bytes, void* data) {
  HEDDLE_REAL_TBB(void(void*, void*, size_t, void*), HEDDLE_GIVE_IN)
  Gone(block, HEDDLE_PC);
  real(pool, block, bytes, data);
}
