// A ticket lock: the load that waits acquires what the store of unlock releases.
#include <stdatomic.h>

typedef struct {
  atomic_uint next;
  atomic_uint serving;
} ticket_t;

void ticket_lock(ticket_t* l) {
  unsigned me = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&l->serving, memory_order_acquire) != me) sched_yield();
}

void ticket_unlock(ticket_t* l) {
  unsigned now = atomic_load_explicit(&l->serving, memory_order_relaxed);
  atomic_store_explicit(&l->serving, now + 1, memory_order_release);
}
