// Data that one thread hands to others. BUG: without the order that makes it safe.
// EXPLORE: -DSEQLOCK -> executions=121
// EXPLORE: -DSEQLOCK -> options=--memory,c11 executions=121 full
// EXPLORE: -DSEQLOCK -DBUG -> executions=36 findings=assertion
// EXPLORE: -DSEQLOCK -DBUG -> options=--memory,c11 executions=36 findings=assertion full
// EXPLORE: -DDCL -> executions=15
// EXPLORE: -DDCL -> options=--memory,c11 executions=15 full
// EXPLORE: -DDCL -DBUG -> executions=15 findings=data-race
// EXPLORE: -DDCL -DBUG -> options=--memory,c11 executions=15 findings=data-race full
// EXPLORE: -DQRCU -> executions=3
// EXPLORE: -DQRCU -> options=--memory,c11 executions=3 full
// EXPLORE: -DQRCU -DBUG -> executions=3 findings=assertion,data-race
// EXPLORE: -DQRCU -DBUG -> options=--memory,c11 executions=2 findings=assertion,data-race full
// EXPLORE: -DONCE -> executions=48
// EXPLORE: -DONCE -> options=--memory,c11 executions=48 full
// EXPLORE: -DONCE -DBUG -> executions=21 findings=assertion,data-race
// EXPLORE: -DONCE -DBUG -> options=--memory,c11 executions=21 findings=assertion,data-race full
// EXPLORE: -DREFCNT -> executions=6
// EXPLORE: -DREFCNT -> options=--memory,c11 executions=6 full
// EXPLORE: -DREFCNT -DBUG -> executions=6 findings=data-race
// EXPLORE: -DREFCNT -DBUG -> options=--memory,c11 executions=6 findings=data-race full
#include "families.h"

#ifdef SEQLOCK  // two data words; BUG: the reader does not look again
atomic_int seq, a, b;
int ra, rb;
T(W) {
  ST(seq, 1, RLX);
  atomic_thread_fence(REL);
  ST(a, 1, RLX);
  ST(b, 1, RLX);
  ST(seq, 2, REL);
  return arg;
}
T(R) {
  for (int i = 0; i < 1; ++i) {
    int s = LD(seq, ACQ);
    if (s & 1) continue;
    int x = LD(a, RLX), y = LD(b, RLX);
#ifndef BUG
    atomic_thread_fence(ACQ);
    if (LD(seq, RLX) != s) continue;
#endif
    assert(x == y);
  }
  return arg;
}
int main() { RUN(W, R, R); }
#endif

#ifdef DCL  // double-checked locking; BUG: relaxed publication
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
_Atomic(int*) inst;
int made;
#ifdef BUG
#define PO RLX
#else
#define PO REL
#endif
static int* get(void) {
  int* p = LD(inst, ACQ);
  if (!p) {
    pthread_mutex_lock(&m);
    p = LD(inst, RLX);
    if (!p) {
      p = malloc(sizeof *p);
      *p = 7;
      ++made;
      ST(inst, p, PO);
    }
    pthread_mutex_unlock(&m);
  }
  return p;
}
T(G) {
  assert(*get() == 7);
  return arg;
}
int main() {
  RUN(G, G, G);
  assert(made == 1);
  free(inst);
}
#endif

#ifdef QRCU  // two-counter quiescence, simplified userspace RCU with a mutexed writer; BUG: the writer does not wait
atomic_int ctr, ptr;
int cells[2] = {1, 1};
T(R) {
  atomic_fetch_add_explicit(&ctr, 1, SC);
  int p = LD(ptr, SC);
  assert(cells[p] == 1);
  atomic_fetch_sub_explicit(&ctr, 1, SC);
  return arg;
}
T(W) {
  ST(ptr, 1, SC);
#ifndef BUG
  while (LD(ctr, SC) != 0);
#endif
  cells[0] = 0;
  return arg;
}
int main() { RUN(R, W); }
#endif

#ifdef ONCE  // lazy init by three states; BUG: two states
atomic_int st;
int val, made;
static int get(void) {
  for (;;) {
    int s = LD(st, ACQ);
    if (s == 2) return val;
#ifdef BUG
    if (s == 0) {
      ++made;
      val = 5;
      ST(st, 2, REL);
      return val;
    }
#else
    int z = 0;
    if (s == 0 && atomic_compare_exchange_strong_explicit(&st, &z, 1, RLX, RLX)) {
      ++made;
      val = 5;
      ST(st, 2, REL);
      return val;
    }
#endif
  }
}
T(G) {
  assert(get() == 5);
  return arg;
}
int main() {
  RUN(G, G, G);
  assert(made == 1);
}
#endif

#ifdef REFCNT  // BUG: the last one frees after a relaxed decrement: a race
atomic_int* cnt;
int* obj;
#ifdef BUG
#define DO RLX
#else
#define DO AR
#endif
T(L) {
  int r = obj[(long)arg];
  obj[(long)arg] = r + 1;
  if (atomic_fetch_sub_explicit(cnt, 1, DO) == 1) {
    free(obj);
  }
  return arg;
}
int main() {
  static atomic_int c = 3;
  cnt = &c;
  obj = calloc(4, 4);
  RUN(L, L, L);
}
#endif
