// A sequence lock.
#include <stdatomic.h>

typedef struct {
  atomic_uint count;
} seq_t;

void seq_write_begin(seq_t* s) {
  unsigned now = atomic_load_explicit(&s->count, memory_order_relaxed);
  atomic_store_explicit(&s->count, now + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
}

void seq_write_end(seq_t* s) {
  unsigned now = atomic_load_explicit(&s->count, memory_order_relaxed);
  atomic_store_explicit(&s->count, now + 1, memory_order_release);
}

unsigned seq_read_begin(seq_t* s) {
  unsigned start;
  do {
    start = atomic_load_explicit(&s->count, memory_order_acquire);
  } while (start & 1);
  return start;
}

int seq_read_retry(seq_t* s, unsigned start) {
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&s->count, memory_order_relaxed) != start;
}
