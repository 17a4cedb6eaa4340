// Whether a lock could be taken now, without touching it: for strategies that know where everyone stands. Reads glibc's
// own structures; an attempt decides all the same, so a wrong answer costs a pick and nothing else.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include "runtime/control/turn/in_turn.h"

namespace heddle::rt::control {

// A mutex or read-write lock and who wants it. Keep it alive while the wait lasts.
struct LockPeek {
  const void* lock;
  int thread;  // its id as glibc writes it into locks
};
LockPeek PeekAt(const void* lock);

bool MutexFree(const void* peek);
bool ReadFree(const void* peek);
bool WriteFree(const void* peek);
// Held by the thread itself, and of a kind that says so instead of waiting.
bool MutexFails(const void* peek);
bool RwLockFails(const void* peek);
bool SpinFree(const void* lock);
bool SemFree(const void* sem);
bool OnceFree(const void* control);  // pthread_once_t: no other thread is inside
bool GuardFree(const void* guard);   // of a function-local static, as libstdc++ keeps it

}  // namespace heddle::rt::control
