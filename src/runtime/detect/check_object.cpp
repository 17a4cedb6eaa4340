#include "runtime/detect/check_object.h"

#include <pthread.h>
#include <semaphore.h>

#include <cstddef>
#include <cstring>

#include "runtime/detect/dead_stacks.h"
#include "runtime/detect/misuse.h"
#include "runtime/detect/state.h"
#include "runtime/memory/thread_heap.h"
#include "runtime/mode.h"

namespace heddle::rt::detect {
namespace {

struct Field {
  uint64_t at;     // one that operations on the object leave alone, as glibc has it
  uint64_t bytes;  // of the object; 0: not looked at
};

Field LockField(const Op& op) {
  switch (LockDetail::Unpack(op.detail).lock_class) {
    case LockClass::Mutex:
      return {offsetof(pthread_mutex_t, __data.__kind), sizeof(pthread_mutex_t)};
    case LockClass::RwLock:
      return {offsetof(pthread_rwlock_t, __data.__shared), sizeof(pthread_rwlock_t)};
    default:
      return {0, 0};
  }
}

Field FieldOf(const Op& op) {
  switch (op.kind) {
    case Kind::Lock:
    case Kind::Unlock:
      return LockField(op);
    case Kind::CondWait:
    case Kind::CondSignal:
    case Kind::CondBroadcast:
      return {offsetof(pthread_cond_t, __data.__wrefs), sizeof(pthread_cond_t)};
    case Kind::SemWait:
    case Kind::SemPost:
      return {2 * sizeof(uint32_t), sizeof(sem_t)};  // private or shared, behind the value
    case Kind::BarrierEnter:
      return {2 * sizeof(uint32_t), sizeof(pthread_barrier_t)};  // how many take part, behind two counters
    default:
      return {0, 0};
  }
}

}  // namespace

void CheckObject(const Op& op) {
  bool heap = op.address - kHeapsBegin < kHeapsEnd - kHeapsBegin;
  if ((!heap && !MayBeDead(op.address)) || g_mode != Mode::Detect) return;
  Field field = FieldOf(op);
  DetectThread* self = Self();
  if (field.bytes == 0 || self == nullptr) return;
  if (!heap) {
    RuntimeScope scope;
    return CheckDeadStack(self, {op.address, field.bytes, op.pc, kAccessWrite | kAccessAtomic, CurrentStack(), 0});
  }
  auto* object = reinterpret_cast<char*>(op.address);  // NOLINT: the program's object
  uint32_t fresh = 0;
  memset(&fresh, kFreshByte, sizeof fresh);
  if (memcmp(object + field.at, &fresh, sizeof fresh) != 0) return;
  RuntimeScope scope;
  ReportMisuse(self, Misuse::kUninitialised, op.address, op.pc);
  memset(object, 0, field.bytes);
}

}  // namespace heddle::rt::detect
