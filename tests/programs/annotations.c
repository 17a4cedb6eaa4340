/* The public annotations of race detectors: acquire and release, custom mutexes, ignored accesses. */
#include "annotations.h"

#include <pthread.h>

#include "check.h"

static int object;
static volatile int hidden;
static volatile int seen;
static char custom;

static void Custom(void) {
  CALL(__tsan_mutex_create, (&custom, 0));
  CALL(__tsan_mutex_pre_lock, (&custom, 0));
  hidden = 1;
  CALL(__tsan_mutex_post_lock, (&custom, 0, 0));
  seen = 1;
  if (__tsan_mutex_pre_unlock) __tsan_mutex_pre_unlock(&custom, 0);
  CALL(__tsan_mutex_post_unlock, (&custom, 0));
  CALL(__tsan_mutex_pre_lock, (&custom, kReadLock));
  CALL(__tsan_mutex_post_lock, (&custom, kReadLock, 0));
  if (__tsan_mutex_pre_unlock) __tsan_mutex_pre_unlock(&custom, kReadLock);
  CALL(__tsan_mutex_post_unlock, (&custom, kReadLock));
  CALL(__tsan_mutex_pre_lock, (&custom, kTryLock));
  CALL(__tsan_mutex_post_lock, (&custom, kTryLock | kTryLockFailed, 0));
  CALL(__tsan_mutex_destroy, (&custom, 0));
}

int main(void) {
  CALL(__tsan_release, (&object));
  CALL(__tsan_acquire, (&object));
  CALL(AnnotateIgnoreWritesBegin, (__FILE__, __LINE__));
  hidden = 2;
  CALL(AnnotateIgnoreWritesEnd, (__FILE__, __LINE__));
  Custom();
  CALL(AnnotateHappensBefore, (__FILE__, __LINE__, &object));
  CALL(AnnotateHappensAfter, (__FILE__, __LINE__, &object));
  CALL(AnnotateRWLockCreate, (__FILE__, __LINE__, &custom));
  CALL(AnnotateRWLockAcquired, (__FILE__, __LINE__, &custom, 1));
  CALL(AnnotateRWLockReleased, (__FILE__, __LINE__, &custom, 1));
  CALL(AnnotateRWLockAcquired, (__FILE__, __LINE__, &custom, 0));
  CALL(AnnotateRWLockReleased, (__FILE__, __LINE__, &custom, 0));
  CALL(AnnotateRWLockDestroy, (__FILE__, __LINE__, &custom));
  CALL(AnnotateNewMemory, (__FILE__, __LINE__, &object, sizeof object));
  printf("%d %d\n", hidden, seen);
  return 0;
}
