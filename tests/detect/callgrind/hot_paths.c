/* Each function path_NAME does one kind of operation kCount times; `run` divides the instructions that callgrind counts
 * in it by kCount. A second thread lives all the time, so that nothing is simpler than in a real program. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kCount = 4096 };
#define PATH(name) __attribute__((noinline)) void path_##name(void)
#define REPEAT for (int i = 0; i < kCount; ++i)
#define USE(value) __asm__ volatile("" : : "r"(value) : "memory")

int words[2 * kCount]; /* not static: gcc would see that some are never written, and not look at them */
int fresh_words[2 * kCount];
int shared_words[2 * kCount];
char blocks[2][64];
int one;
static atomic_int atomic_one;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int ends[2];

PATH(read_same) {
  REPEAT { (void)*(volatile int*)&one; }
}
PATH(write_same) {
  REPEAT { *(volatile int*)&one = i; }
}
/* Words never touched before, then the same words once more in the same epoch. */
PATH(read_first) {
  REPEAT { (void)*(volatile int*)&fresh_words[2 * i]; }
}
PATH(read_again) {
  REPEAT { (void)*(volatile int*)&fresh_words[2 * i]; }
}
PATH(write_first) {
  REPEAT { *(volatile int*)&words[2 * i] = i; }
}
PATH(write_again) {
  REPEAT { *(volatile int*)&words[2 * i] = i; }
}
/* Words that the other thread wrote before. */
PATH(read_shared) {
  REPEAT { (void)*(volatile int*)&shared_words[2 * i]; }
}
PATH(write_shared) {
  REPEAT { *(volatile int*)&shared_words[2 * i] = i; }
}
PATH(copy_64_bytes) {
  REPEAT {
    memcpy(blocks[0], blocks[1], 64);
    USE(0);
  }
}
PATH(atomic_load) {
  REPEAT { USE(atomic_load_explicit(&atomic_one, memory_order_acquire)); }
}
PATH(atomic_load_relaxed) {
  REPEAT { USE(atomic_load_explicit(&atomic_one, memory_order_relaxed)); }
}
PATH(atomic_store) {
  REPEAT { atomic_store_explicit(&atomic_one, i, memory_order_release); }
}
PATH(atomic_add) {
  REPEAT { atomic_fetch_add_explicit(&atomic_one, 1, memory_order_acq_rel); }
}
PATH(atomic_exchange_if) {
  REPEAT {
    int old = i;
    atomic_compare_exchange_strong_explicit(&atomic_one, &old, i + 1, memory_order_acq_rel, memory_order_relaxed);
  }
}
PATH(fence) {
  REPEAT {
    atomic_thread_fence(memory_order_seq_cst);
    USE(0);
  }
}
PATH(mutex_pair) {
  REPEAT {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}
PATH(mutex_and_write) {
  REPEAT {
    pthread_mutex_lock(&mutex);
    *(volatile int*)&one = i;
    pthread_mutex_unlock(&mutex);
  }
}
PATH(read_lock_pair) {
  REPEAT {
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
  }
}
PATH(malloc_pair) {
  REPEAT {
    void* block = malloc(48);
    USE(block);
    free(block);
  }
}
__attribute__((noinline)) static void Callee(int i) { *(volatile int*)&one = i; }
PATH(call) {
  REPEAT { Callee(i); }
}

static void* Other(void* nothing) {
  (void)nothing;
  for (int i = 0; i < kCount; ++i) *(volatile int*)&shared_words[2 * i] = 1;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  atomic_store(&atomic_one, 1);
  char byte;
  return read(ends[0], &byte, 1) == 1 ? NULL : &ends;
}

int main(void) {
  pthread_t other;
  if (pipe(ends) != 0) return 2;
  pthread_create(&other, NULL, Other, NULL);
  while (atomic_load(&atomic_one) == 0) sched_yield();
  path_read_same();
  path_write_same();
  path_read_first();
  path_read_again();
  path_write_first();
  path_write_again();
  path_read_shared();
  path_write_shared();
  path_copy_64_bytes();
  path_atomic_load();
  path_atomic_load_relaxed();
  path_atomic_store();
  path_atomic_add();
  atomic_store(&atomic_one, 0);
  path_atomic_exchange_if();
  path_fence();
  path_mutex_pair();
  path_mutex_and_write();
  path_read_lock_pair();
  path_malloc_pair();
  path_call();
  char byte = 0;
  if (write(ends[1], &byte, 1) != 1) return 2;
  pthread_join(other, NULL);
  return 0;
}
