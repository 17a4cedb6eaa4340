// Who waits for whom, to recognise a real deadlock when it happens.
//
// A thread notes what it waits for before it does (and after the attempt found the object taken). Each time one begins
// to wait, or ends, the threads that can never go on are computed as the greatest set in which each waits
//   for a lock whose holders are all in the set or have ended,
//   for the end of a thread in the set,
//   for a condition, semaphore or barrier, if every live thread is in the set and no wake-up is under way.
// The state that this looks at errs towards "can go on": a lock is free from before its unlock until after the next
// lock, a wake-up is under way until the woken thread says so. Threads that wait with a time limit, for a descriptor,
// or in any call that we do not know are running. When every thread waits, a signal handler, a timer, a child or
// another process with shared memory may still end a wait for a condition, semaphore or barrier (intercept/outside.h):
// then only cycles of locks and joins are deadlocks, and the rest is noted as a hang, which the record takes back when
// a thread goes on. So what is called a deadlock is one.
#pragma once

#include "runtime/op.h"

namespace heddle::rt::detect {

struct DetectThread;

void WaitBegins(DetectThread* self, const Op& op);  // a lock, a semaphore, a join
void BarrierWaitBegins(DetectThread* self, const Op& op);
void CondWaitBegins(DetectThread* self, const Op& op);
void CondWaitEnds(DetectThread* self, const Op& op);
void CondSignalled(const Op& op);
void WaitEnds(DetectThread* self);

// Threads: between ThreadStarts and ThreadLives nobody can tell what the new one does.
void ThreadStarts();
void ThreadStartFailed();
void ThreadLives(DetectThread* self, bool announced);
void ThreadDies(DetectThread* self);
void OnlyThread(DetectThread* self);  // in a child of fork

// Its wait ends if it can be cancelled there. Before the cancellation.
void ThreadCancelled(uint32_t number);

void LockWaits();
void UnlockWaits();

}  // namespace heddle::rt::detect
