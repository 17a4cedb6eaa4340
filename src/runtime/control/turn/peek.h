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
// A lock that lets no reader in while a writer waits (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP). Nobody waits in
// glibc here, so who does is kept by the scheduler: a writer says so in a step of its own, before the one that takes
// the lock. An attempt to read fails while there is one.
void QueueToWrite(const pthread_rwlock_t* lock, bool timed, const void* pc);
int TryRead(pthread_rwlock_t* lock);
int TryWrite(pthread_rwlock_t* lock);
// Held by the thread itself, and of a kind that says so instead of waiting.
bool MutexFails(const void* peek);
bool RwLockFails(const void* peek);
bool SpinFree(const void* lock);
bool SemFree(const void* sem);
bool OnceFree(const void* control);  // pthread_once_t: no other thread is inside
bool GuardFree(const void* guard);   // of a function-local static, as libstdc++ keeps it

}  // namespace heddle::rt::control
