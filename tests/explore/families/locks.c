// Locks made of atomics: queues of waiters, flags and turns. BUG: each with one step left out or weakened.
// EXPLORE: -DMCS -> executions=66
// EXPLORE: -DMCS -> options=--memory,c11 executions=66 full
// EXPLORE: -DMCS -DBUG -> executions=48 findings=livelock
// EXPLORE: -DMCS -DBUG -> options=--memory,c11 executions=48 findings=livelock full
// EXPLORE: -DCLH -> executions=6
// EXPLORE: -DCLH -> options=--memory,c11 executions=6 full
// EXPLORE: -DCLH -DBUG -> executions=6 findings=data-race
// EXPLORE: -DCLH -DBUG -> options=--memory,c11 executions=6 findings=data-race full
// EXPLORE: -DBAKERY -> executions=16
// EXPLORE: -DBAKERY -> options=--memory,c11 exit=3 says=not.complete full
// EXPLORE: -DBAKERY -DBUG -> executions=16 findings=assertion,data-race
// EXPLORE: -DBAKERY -DBUG -> options=--memory,c11 executions=16 findings=data-race full
// EXPLORE: -DBAKERY -DO=RLX -> executions=16 findings=data-race
// EXPLORE: -DBAKERY -DO=RLX -> options=--memory,c11 bounded findings=data-race full
// EXPLORE: -DFASTMUTEX -> executions=16
// EXPLORE: -DFASTMUTEX -> options=--memory,c11 executions=16 full
// EXPLORE: -DFASTMUTEX -DBUG -> executions=20 findings=assertion,data-race
// EXPLORE: -DFASTMUTEX -DBUG -> options=--memory,c11 executions=20 findings=data-race full
// EXPLORE: -DDEKKER -> executions=8
// EXPLORE: -DDEKKER -> options=--memory,c11 executions=8 full
// EXPLORE: -DDEKKER -DBUG -> executions=6 findings=livelock
// EXPLORE: -DDEKKER -DBUG -> options=--memory,c11 executions=6 findings=livelock full
// EXPLORE: -DDEKKER -DO=RLX -> executions=8 findings=data-race
// EXPLORE: -DDEKKER -DO=RLX -> options=--memory,c11 executions=13 findings=data-race full
// EXPLORE: -DFILTER -> executions=4
// EXPLORE: -DFILTER -> options=--memory,c11 executions=4 full
// EXPLORE: -DFILTER -DBUG -> executions=8 findings=assertion,data-race
// EXPLORE: -DFILTER -DN=3 -> executions=782 full
// EXPLORE: -DFILTER -DBUG -> options=--memory,c11 executions=8 findings=data-race full
// EXPLORE: -DBURNS -> executions=6
// EXPLORE: -DBURNS -> options=--memory,c11 exit=3 says=not.complete full
// EXPLORE: -DBURNS -DBUG -> executions=4 findings=assertion,data-race
// EXPLORE: -DBURNS -DBUG -> options=--memory,c11 bounded findings=data-race full
// EXPLORE: -DSPINPAIR -> executions=2
// EXPLORE: -DSPINPAIR -> options=--memory,c11 executions=2 full
// EXPLORE: -DSPINPAIR -DBUG -> executions=3 findings=livelock
// EXPLORE: -DSPINPAIR -DBUG -> options=--memory,c11 executions=3 findings=livelock full
// EXPLORE: -DLINUXRW -> executions=7
// EXPLORE: -DLINUXRW -> options=--memory,c11 executions=6 full
// EXPLORE: -DLINUXRW -DBUG -> executions=11 findings=data-race
// EXPLORE: -DLINUXRW -DBUG -> options=--memory,c11 executions=6 findings=data-race full
#include "families.h"

#ifdef MCS  // BUG: the owner leaves without handing over: hang
struct node {
  _Atomic(struct node*) next;
  atomic_int wait;
};
_Atomic(struct node*) tail_;
int in_;
struct node nodes[3];
T(L) {
  struct node* me = &nodes[(long)arg];
  ST(me->next, 0, RLX);
  ST(me->wait, 1, RLX);
  struct node* p = atomic_exchange_explicit(&tail_, me, AR);
  if (p) {
    ST(p->next, me, REL);
    while (LD(me->wait, ACQ));
  }
  ++in_;
  struct node* e = me;
  if (!LD(me->next, ACQ)) {
    if (atomic_compare_exchange_strong_explicit(&tail_, &e, 0, AR, RLX)) return arg;
#ifdef BUG
    return arg;
#endif
    while (!LD(me->next, ACQ));
  }
  struct node* n = LD(me->next, ACQ);
  ST(n->wait, 0, REL);
  return arg;
}
int main() {
  RUN(L, L, L);
  assert(in_ == 3);
}
#endif

#ifdef CLH
struct node {
  atomic_int busy;
};
struct node q[4];
_Atomic(struct node*) tl;
int in_;
T(L) {
  struct node* me = &q[(long)arg + 1];
  ST(me->busy, 1, RLX);
  struct node* p = atomic_exchange_explicit(&tl, me, AR);
  while (LD(p->busy, ACQ));
  ++in_;
#ifdef BUG
  ST(me->busy, 0, RLX);
#else
  ST(me->busy, 0, REL);
#endif
  return arg;
}
int main() {
  tl = &q[0];
  RUN(L, L, L);
  assert(in_ == 3);
}
#endif

#ifdef BAKERY  // n = 2; BUG: no choosing flag: fails already under sc
atomic_int ch[2], num[2];
int in_;
#ifndef O
#define O SC
#endif
T(L) {
  int i = (int)(long)arg, j = !i;
#ifndef BUG
  ST(ch[i], 1, O);
#endif
  int mx = LD(num[j], O);
  ST(num[i], mx + 1, O);
#ifndef BUG
  ST(ch[i], 0, O);
  while (LD(ch[j], O));
#endif
  for (;;) {
    int n = LD(num[j], O);
    if (n == 0 || n > LD(num[i], O) || (n == LD(num[i], O) && j > i)) break;
  }
  int old = in_;
  in_ = old + 1;
  ST(num[i], 0, O);
  return arg;
}
int main() {
  RUN(L, L);
  assert(in_ == 2);
}
#endif

#ifdef FASTMUTEX  // Lamport's fast mutex, n = 2; BUG: y is not looked at behind x
atomic_int x, y, b[2];
int in_;
T(L) {
  int i = (int)(long)arg;
start:
  b[i] = 1;
  x = i + 1;
  if (y != 0) {
    b[i] = 0;
    while (y != 0);
    goto start;
  }
  y = i + 1;
#ifndef BUG
  if (x != i + 1) {
    b[i] = 0;
    for (int j = 0; j < 2; ++j)
      while (b[j]);
    if (y != i + 1) {
      while (y != 0);
      goto start;
    }
  }
#endif
  ++in_;
  y = 0;
  b[i] = 0;
  return arg;
}
int main() {
  RUN(L, L);
  assert(in_ == 2);
}
#endif

#ifdef DEKKER
#ifndef O
#define O SC
#endif
atomic_int fl[2], turn;
int in_;
T(L) {
  int i = (int)(long)arg, j = !i;
  ST(fl[i], 1, O);
  while (LD(fl[j], O)) {
    if (LD(turn, O) != i) {
      ST(fl[i], 0, O);
      while (LD(turn, O) != i);
      ST(fl[i], 1, O);
    }
  }
  ++in_;
  ST(turn, j, O);
#ifndef BUG
  ST(fl[i], 0, O);
#endif
  return arg;
}
int main() {
  RUN(L, L);
  assert(in_ == 2);
}
#endif

#ifdef FILTER  // Peterson for N; BUG: the victim is set first
atomic_int level[3], victim[3];
int in_;
#ifndef N
#define N 2
#endif
T(L) {
  int i = (int)(long)arg;
  for (int l = 1; l < N; ++l) {
#ifdef BUG
    victim[l] = i;
    level[i] = l;
#else
    level[i] = l;
    victim[l] = i;
#endif
    for (;;) {
      int wait = 0;
      for (int k = 0; k < N; ++k)
        if (k != i && level[k] >= l) wait = 1;
      if (!wait || victim[l] != i) break;
    }
  }
  ++in_;
  level[i] = 0;
  return arg;
}
int main() {
#if N == 2
  RUN(L, L);
#else
  RUN(L, L, L);
#endif
  assert(in_ == N);
}
#endif

#ifdef BURNS  // Burns-Lynch one-bit, n = 2; BUG: the second look is left out
atomic_int f[2];
int in_;
T(L) {
  int i = (int)(long)arg;
  if (i == 0) {
    f[0] = 1;
    while (f[1]);
  } else {
  again:
    f[1] = 0;
    while (f[0]);
    f[1] = 1;
#ifndef BUG
    if (f[0]) goto again;
#endif
  }
  ++in_;
  f[i] = 0;
  return arg;
}
int main() {
  RUN(L, L);
  assert(in_ == 2);
}
#endif

#ifdef SPINPAIR  // two test-and-set locks taken in opposite order; BUG: livelock/deadlock of spinning threads
atomic_flag l[2];
int x;
static void lk(int i) { while (atomic_flag_test_and_set_explicit(&l[i], ACQ)); }
static void ul(int i) { atomic_flag_clear_explicit(&l[i], REL); }
T(A) {
  lk(0);
  lk(1);
  ++x;
  ul(1);
  ul(0);
  return arg;
}
T(B) {
#ifdef BUG
  lk(1);
  lk(0);
#else
  lk(0);
  lk(1);
#endif
  ++x;
  ul(1);
  ul(0);
  return arg;
}
int main() {
  RUN(A, B);
  assert(x == 2);
}
#endif

#ifdef LINUXRW  // linux rwlock of the GenMC suite; BUG: readers take the lock relaxed
#define BIAS 0x100
atomic_int lk;
int x, sink;
#ifdef BUG
#define RA RLX
#else
#define RA ACQ
#endif
static void rl(void) {
  int p = atomic_fetch_sub_explicit(&lk, 1, RA);
  while (p <= 0) {
    atomic_fetch_add_explicit(&lk, 1, RLX);
    while (LD(lk, RLX) <= 0);
    p = atomic_fetch_sub_explicit(&lk, 1, RA);
  }
}
static void wl(void) {
  int p = atomic_fetch_sub_explicit(&lk, BIAS, ACQ);
  while (p != BIAS) {
    atomic_fetch_add_explicit(&lk, BIAS, RLX);
    while (LD(lk, RLX) != BIAS);
    p = atomic_fetch_sub_explicit(&lk, BIAS, ACQ);
  }
}
T(R) {
  rl();
  sink = x;
  atomic_fetch_add_explicit(&lk, 1, REL);
  return arg;
}
T(W) {
  wl();
  x = 1;
  atomic_fetch_add_explicit(&lk, BIAS, REL);
  return arg;
}
int main() {
  lk = BIAS;
  RUN(R, W);
}
#endif
