/* Declarations of the annotations, weak: a program without a runtime does without them. */
#ifndef HEDDLE_TESTS_ANNOTATIONS_H
#define HEDDLE_TESTS_ANNOTATIONS_H

#include <stddef.h>

#define WEAK __attribute__((weak))
WEAK void __tsan_acquire(void* at);
WEAK void __tsan_release(void* at);
WEAK void __tsan_mutex_create(void* mutex, unsigned flags);
WEAK void __tsan_mutex_destroy(void* mutex, unsigned flags);
WEAK void __tsan_mutex_pre_lock(void* mutex, unsigned flags);
WEAK void __tsan_mutex_post_lock(void* mutex, unsigned flags, int depth);
WEAK int __tsan_mutex_pre_unlock(void* mutex, unsigned flags);
WEAK void __tsan_mutex_post_unlock(void* mutex, unsigned flags);
WEAK void* __tsan_get_current_fiber(void);
WEAK void* __tsan_create_fiber(unsigned flags);
WEAK void __tsan_destroy_fiber(void* fiber);
WEAK void __tsan_switch_to_fiber(void* fiber, unsigned flags);
WEAK void __tsan_set_fiber_name(void* fiber, const char* name);
WEAK void AnnotateHappensBefore(const char* file, int line, void* at);
WEAK void AnnotateHappensAfter(const char* file, int line, void* at);
WEAK void AnnotateRWLockCreate(const char* file, int line, void* at);
WEAK void AnnotateRWLockDestroy(const char* file, int line, void* at);
WEAK void AnnotateRWLockAcquired(const char* file, int line, void* at, long writes);
WEAK void AnnotateRWLockReleased(const char* file, int line, void* at, long writes);
WEAK void AnnotateIgnoreWritesBegin(const char* file, int line);
WEAK void AnnotateIgnoreWritesEnd(const char* file, int line);
WEAK void AnnotateNewMemory(const char* file, int line, void* at, size_t bytes);

enum { kReadLock = 1 << 3, kTryLock = 1 << 4, kTryLockFailed = 1 << 5 };

#define CALL(function, arguments)      \
  do {                                 \
    if (function) function arguments;  \
  } while (0)

#endif
