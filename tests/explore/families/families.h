#ifndef FAMILIES_H
#define FAMILIES_H
// Short names for small programs; not static, since clang keeps variables that one function alone uses in a register.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define AR memory_order_acq_rel
#define SC memory_order_seq_cst
#define LD(x, o) atomic_load_explicit(&(x), o)
#define ST(x, v, o) atomic_store_explicit(&(x), v, o)
#define T(name) static void* name(void* arg)
#define RUN(...)                                 \
  do {                                           \
    const Main mains_[] = {__VA_ARGS__};         \
    Run(sizeof mains_ / sizeof *mains_, mains_); \
  } while (0)

typedef void* (*Main)(void*);

// Threads get their numbers.
static void Run(int count, const Main* mains) {
  pthread_t threads[8];
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], 0, mains[i], (void*)i);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], 0);
}

#endif
