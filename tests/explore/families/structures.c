// Lock-free structures. BUG: a publication that is relaxed, fences or a version that are missing.
// EXPLORE: -DVYUKOV -> executions=14
// EXPLORE: -DVYUKOV -> options=--memory,c11 executions=14 full
// EXPLORE: -DVYUKOV -DBUG -> executions=14 findings=data-race
// EXPLORE: -DVYUKOV -DBUG -> options=--memory,c11 executions=14 findings=data-race full
// EXPLORE: -DCHASELEV -> executions=41
// EXPLORE: -DCHASELEV -> options=--memory,c11 executions=41 full
// EXPLORE: -DCHASELEV -DBUG -> executions=41
// EXPLORE: -DCHASELEV -DBUG -> options=--memory,c11 executions=47 findings=assertion full
// EXPLORE: -DMPSC -> executions=2
// EXPLORE: -DMPSC -> options=--memory,c11 executions=2 full
// EXPLORE: -DMPSC -DBUG -> executions=2 findings=data-race
// EXPLORE: -DMPSC -DBUG -> options=--memory,c11 executions=2 findings=data-race full
// EXPLORE: -DTREIBER -> executions=16
// EXPLORE: -DTREIBER -> options=--memory,c11 executions=16 full
// EXPLORE: -DTREIBER -DBUG -> executions=15 findings=assertion
// EXPLORE: -DTREIBER -DBUG -> options=--memory,c11 executions=15 findings=assertion full
#include "families.h"

#ifdef VYUKOV  // MPMC queue of 2 cells; BUG: publishes relaxed
#ifdef BUG
#define PUB RLX
#else
#define PUB REL
#endif
struct {
  atomic_int seq;
  int data;
} cell[2];
atomic_int tail, head;
int got[2];
static int push(int v) {
  int pos = LD(tail, RLX);
  for (;;) {
    int s = LD(cell[pos & 1].seq, ACQ);
    if (s == pos) {
      if (atomic_compare_exchange_strong_explicit(&tail, &pos, pos + 1, RLX, RLX)) break;
    } else if (s < pos)
      return 0;
    else
      pos = LD(tail, RLX);
  }
  cell[pos & 1].data = v;
  ST(cell[pos & 1].seq, pos + 1, PUB);
  return 1;
}
static int pop(int* v) {
  int pos = LD(head, RLX);
  for (;;) {
    int s = LD(cell[pos & 1].seq, ACQ);
    if (s == pos + 1) {
      if (atomic_compare_exchange_strong_explicit(&head, &pos, pos + 1, RLX, RLX)) break;
    } else if (s < pos + 1)
      return 0;
    else
      pos = LD(head, RLX);
  }
  *v = cell[pos & 1].data;
  ST(cell[pos & 1].seq, pos + 2, PUB);
  return 1;
}
T(P) {
  push(1);
  return arg;
}
T(P2) {
  push(2);
  return arg;
}
T(C) {
  pop(&got[0]);
  return arg;
}
int main() {
  for (int i = 0; i < 2; ++i) cell[i].seq = i;
  RUN(P, P2, C);
  int v, n = got[0] != 0;
  while (pop(&v)) {
    assert(v != got[0]);
    ++n;
  }
  assert(n == 2);
}
#endif

#ifdef CHASELEV  // BUG: no fences: both take the last element, c11 only
#ifdef BUG
#define FENCE
#else
#define FENCE atomic_thread_fence(SC)
#endif
atomic_int top, bottom;
atomic_int buf[4];
int owner[2], thief, thief2;
static int take(void) {
  int b = LD(bottom, RLX) - 1;
  ST(bottom, b, RLX);
  FENCE;
  int t = LD(top, RLX);
  if (t > b) {
    ST(bottom, b + 1, RLX);
    return 0;
  }
  int v = LD(buf[b & 3], RLX);
  if (t < b) return v;
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, SC, RLX)) v = 0;
  ST(bottom, b + 1, RLX);
  return v;
}
static int steal(void) {
  int t = LD(top, ACQ);
  FENCE;
  int b = LD(bottom, ACQ);
  if (t >= b) return 0;
  int v = LD(buf[t & 3], RLX);
  return atomic_compare_exchange_strong_explicit(&top, &t, t + 1, SC, RLX) ? v : 0;
}
T(O) {
  owner[0] = take();
  owner[1] = take();
  return arg;
}
T(S) {
  thief = steal();
  thief2 = steal();
  return arg;
}
int main() {
  buf[0] = 1;
  buf[1] = 2;
  bottom = 2;
  RUN(O, S);
  int sum = owner[0] + owner[1] + thief + thief2;
  assert(sum == 3);
}
#endif

#ifdef MPSC  // multi-producer single consumer by exchange (Vyukov's node queue); BUG: link relaxed
struct n {
  _Atomic(struct n*) next;
  int v;
};
struct n stub, ns[2];
_Atomic(struct n*) hd;
int sum;
#ifdef BUG
#define LK RLX
#else
#define LK REL
#endif
T(P) {
  struct n* x = &ns[(long)arg];
  x->v = 1 + (int)(long)arg;
  struct n* p = atomic_exchange_explicit(&hd, x, AR);
  ST(p->next, x, LK);
  return arg;
}
T(C) {
  struct n* t = &stub;
  for (int i = 0; i < 2; ++i) {
    struct n* x;
    while (!(x = LD(t->next, ACQ)));
    sum += x->v;
    t = x;
  }
  return arg;
}
int main() {
  hd = &stub;
  RUN(P, P, C);
  assert(sum == 3);
}
#endif

#ifdef TREIBER  // ABA: nodes are pushed again; BUG: yes, fixed: a counter beside the pointer
atomic_ulong top;
atomic_uchar anx[4];
#define IDX(v) ((v) & 15)
#ifdef BUG
#define MK(old, i) ((unsigned long)(i))
#else
#define MK(old, i) ((((old) >> 4) + 1) << 4 | (unsigned long)(i))
#endif
static int pop(void) {
  unsigned long o = top, n;
  do {
    if (!IDX(o)) return 0;
    n = MK(o, anx[IDX(o)]);
  } while (!atomic_compare_exchange_strong(&top, &o, n));
  return (int)IDX(o);
}
static void push(int i) {
  unsigned long o = top;
  do {
    anx[i] = (unsigned char)IDX(o);
  } while (!atomic_compare_exchange_strong(&top, &o, MK(o, i)));
}
atomic_int owned[4];
T(A) {
  int i = pop();
  if (i) assert(atomic_fetch_add(&owned[i], 1) == 0);
  return arg;
}
T(B) {
  int i = pop();
  if (i) assert(atomic_fetch_add(&owned[i], 1) == 0);
  int j = pop();
  if (j) assert(atomic_fetch_add(&owned[j], 1) == 0);
  if (i) {
    atomic_fetch_sub(&owned[i], 1);
    push(i);
  }
  return arg;
}
int main() {
  anx[1] = 2;
  anx[2] = 0;
  top = 1;
  RUN(A, B);
  int i;
  while ((i = pop())) assert(atomic_fetch_add(&owned[i], 1) == 0);
}
#endif
