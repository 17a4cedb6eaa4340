// Programs in the style of the concurrency families of SV-COMP, and some whose executions can be counted by hand.
// EXPLORE: -DREORDER -> executions=6
// EXPLORE: -DREORDER -> options=--memory,c11 executions=6 full
// EXPLORE: -DREORDER -DBUG -> executions=36 findings=assertion
// EXPLORE: -DREORDER -DBUG -> options=--memory,c11 executions=36 findings=assertion full
// EXPLORE: -DTWOSTAGE -> executions=2
// EXPLORE: -DTWOSTAGE -> options=--memory,c11 executions=2 full
// EXPLORE: -DTWOSTAGE -DBUG -> executions=3 findings=assertion
// EXPLORE: -DTWOSTAGE -DBUG -> options=--memory,c11 executions=3 findings=assertion full
// EXPLORE: -DTRIANGULAR -> executions=1698
// EXPLORE: -DTRIANGULAR -> options=--memory,c11 executions=1698 full
// EXPLORE: -DTRIANGULAR -DBUG -> executions=564 findings=assertion
// EXPLORE: -DTRIANGULAR -DBUG -> options=--memory,c11 executions=564 findings=assertion full
// EXPLORE: -DSIGMA -> executions=6
// EXPLORE: -DSIGMA -> options=--memory,c11 executions=6 full
// EXPLORE: -DSIGMA -DBUG -> executions=7 findings=assertion,data-race
// EXPLORE: -DSIGMA -DBUG -> options=--memory,c11 executions=6 findings=assertion,data-race full
// EXPLORE: -DSTACKBND -> executions=90
// EXPLORE: -DSTACKBND -> options=--memory,c11 executions=90 full
// EXPLORE: -DSTACKBND -DBUG -> executions=394 findings=assertion
// EXPLORE: -DSTACKBND -DBUG -> options=--memory,c11 executions=394 findings=assertion full
// EXPLORE: -DCASWIN -> executions=4
// EXPLORE: -DCASWIN -> options=--memory,c11 executions=4 full
// EXPLORE: -DSBRING -DO=SC -> executions=15
// EXPLORE: -DSBRING -DO=SC -> options=--memory,c11 executions=15 full
// EXPLORE: -DSBRING -DO=RLX -> executions=15
// EXPLORE: -DSBRING -DO=RLX -> options=--memory,c11 executions=16 full
// EXPLORE: -DINC23 -> executions=20
// EXPLORE: -DINC23 -> options=--memory,c11 executions=20 full
// EXPLORE: -DLOCK3 -> executions=90
// EXPLORE: -DLOCK3 -> options=--memory,c11 executions=90 full
// EXPLORE: -DCOWR -DO=RLX -> executions=4
// EXPLORE: -DCOWR -DO=RLX -> options=--memory,c11 executions=4 full
#include "families.h"

#ifdef REORDER  // SV-COMP reorder: with locks (clean) or atomics without (assert)
atomic_int a, b;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
T(S) {
#ifndef BUG
  pthread_mutex_lock(&m);
#endif
  a = 1;
  b = -1;
#ifndef BUG
  pthread_mutex_unlock(&m);
#endif
  return arg;
}
T(K) {
#ifndef BUG
  pthread_mutex_lock(&m);
#endif
  int x = a, y = b;
  assert((x == 0 && y == 0) || (x == 1 && y == -1));
#ifndef BUG
  pthread_mutex_unlock(&m);
#endif
  return arg;
}
int main() { RUN(S, S, K); }
#endif

#ifdef TWOSTAGE
pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;
int d1, d2;
T(F) {
  pthread_mutex_lock(&p);
  d1 = 1;
#ifdef BUG
  pthread_mutex_unlock(&p);
  pthread_mutex_lock(&q);
  d2 = d1 + 1;
  pthread_mutex_unlock(&q);
#else
  pthread_mutex_lock(&q);
  d2 = d1 + 1;
  pthread_mutex_unlock(&q);
  pthread_mutex_unlock(&p);
#endif
  return arg;
}
T(G) {
  int t1 = -1, t2 = -1;
  pthread_mutex_lock(&p);
  if (d1 == 0) {
    pthread_mutex_unlock(&p);
    return arg;
  }
  t1 = d1;
  pthread_mutex_unlock(&p);
  pthread_mutex_lock(&q);
  t2 = d2;
  pthread_mutex_unlock(&q);
  assert(t2 == t1 + 1);
  return arg;
}
int main() { RUN(F, G); }
#endif

#ifdef TRIANGULAR  // i and j grow; N = 2 rounds: at most fib(2N+...) ; LIMIT is the largest reachable, so > never; BUG:
                   // >= is reached
atomic_int i_ = 3, j_ = 6;
T(A) {
  for (int k = 0; k < 3; ++k) i_ = j_ + 1;
  return arg;
}
T(B) {
  for (int k = 0; k < 3; ++k) j_ = i_ + 1;
  return arg;
}
T(K) {
#ifdef BUG
  assert(i_ < 11);
#else
  assert(i_ <= 12 && j_ <= 12);
#endif
  return arg;
}
int main() { RUN(A, B, K); }
#endif

#ifdef SIGMA  // each thread writes array[index]; BUG: index is incremented by the creator
int arr[3];
atomic_int idx = -1;
T(L) {
#ifdef BUG
  int at = idx;
  arr[at < 0 ? 0 : at] = 1;
#else
  arr[atomic_fetch_add(&idx, 1) + 1] = 1;
#endif
  return arg;
}
int main() {
  pthread_t t[3];
  for (int i = 0; i < 3; ++i) {
#ifdef BUG
    idx++;
#endif
    pthread_create(&t[i], 0, L, 0);
  }
  for (int i = 0; i < 3; ++i) pthread_join(t[i], 0);
  assert(arr[0] + arr[1] + arr[2] == 3);
}
#endif

#ifdef STACKBND  // SV-COMP stack with a lock; BUG: pop looks outside
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int top;
int st[4];
T(P) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&m);
    st[top++] = i;
    pthread_mutex_unlock(&m);
  }
  return arg;
}
T(Q) {
  for (int i = 0; i < 2; ++i) {
#ifdef BUG
    pthread_mutex_lock(&m);
    int t = top;
    pthread_mutex_unlock(&m);
    if (t > 0) {
      pthread_mutex_lock(&m);
      assert(top > 0);
      --top;
      pthread_mutex_unlock(&m);
    }
#else
    pthread_mutex_lock(&m);
    if (top > 0) {
      assert(top > 0);
      --top;
    }
    pthread_mutex_unlock(&m);
#endif
  }
  return arg;
}
int main() { RUN(P, Q, Q); }
#endif

#ifdef CASWIN  // N compare-and-swaps from 0: who wins
atomic_int x;
T(L) {
  int z = 0;
  atomic_compare_exchange_strong(&x, &z, (int)(long)arg + 1);
  return arg;
}
int main() { RUN(L, L, L, L); }
#endif

#ifdef SBRING  // N threads: store own, load next
atomic_int x[4];
T(L) {
  int i = (int)(long)arg;
  ST(x[i], 1, O);
  (void)LD(x[(i + 1) % 4], O);
  return arg;
}
int main() { RUN(L, L, L, L); }
#endif

#ifdef INC23  // 2 threads, 3 increments with use of the result
atomic_int x;
int r[2][3];
T(L) {
  for (int i = 0; i < 3; ++i) r[(long)arg][i] = atomic_fetch_add(&x, 1);
  return arg;
}
int main() {
  RUN(L, L);
  return r[0][0] > 9;
}
#endif

#ifdef LOCK3  // 3 threads, 2 sections each: 6!/(2!2!2!) = 90
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
T(L) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&m);
    ++x;
    pthread_mutex_unlock(&m);
  }
  return arg;
}
int main() { RUN(L, L, L); }
#endif

#ifdef COWR  // store then load of the same location, 2 threads
atomic_int x;
int r[2];
T(L) {
  ST(x, 1 + (int)(long)arg, O);
  r[(long)arg] = LD(x, O);
  return arg;
}
int main() {
  RUN(L, L);
  return r[0] + r[1] > 9;
}
#endif
