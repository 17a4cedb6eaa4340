// An MCS lock.
#include <stdatomic.h>
#include <stddef.h>

typedef struct node {
  _Atomic(struct node*) next;
  atomic_int waiting;
} node_t;

typedef struct {
  _Atomic(node_t*) tail;
} mcs_t;

void mcs_lock(mcs_t* l, node_t* me) {
  atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&me->waiting, 1, memory_order_relaxed);
  node_t* before = atomic_exchange_explicit(&l->tail, me, memory_order_acq_rel);
  if (before == NULL) return;
  atomic_store_explicit(&before->next, me, memory_order_release);
  while (atomic_load_explicit(&me->waiting, memory_order_acquire)) {
  }
}

void mcs_unlock(mcs_t* l, node_t* me) {
  node_t* after = atomic_load_explicit(&me->next, memory_order_acquire);
  if (after == NULL) {
    node_t* expected = me;
    if (atomic_compare_exchange_strong_explicit(&l->tail, &expected, NULL, memory_order_release,
                                                memory_order_relaxed)) {
      return;
    }
    while ((after = atomic_load_explicit(&me->next, memory_order_acquire)) == NULL) {
    }
  }
  atomic_store_explicit(&after->waiting, 0, memory_order_release);
}
