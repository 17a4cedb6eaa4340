// Threads that wait for each other. BUG: a wake-up that is lost, a lock order, a barrier that does not turn.
// EXPLORE: -DSENSE -> executions=4
// EXPLORE: -DSENSE -> options=--memory,c11 executions=4 full
// EXPLORE: -DSENSE -DBUG -> executions=18 findings=assertion,data-race
// EXPLORE: -DSENSE -DBUG -> options=--memory,c11 executions=4 findings=assertion,data-race full
// EXPLORE: -DPC -> executions=26
// EXPLORE: -DPC -> options=--memory,c11 executions=26 full
// EXPLORE: -DPC -DBUG -> executions=30 findings=assertion
// EXPLORE: -DPC -DBUG -> options=--memory,c11 executions=30 findings=assertion full
// EXPLORE: -DPCFULL -> executions=80
// EXPLORE: -DPCFULL -> options=--memory,c11 executions=80 full
// EXPLORE: -DPCFULL -DBUG -> executions=80 findings=deadlock
// EXPLORE: -DPCFULL -DBUG -> options=--memory,c11 executions=80 findings=deadlock full
// EXPLORE: -DFLAT -> executions=10
// EXPLORE: -DFLAT -> options=--memory,c11 executions=10 full
// EXPLORE: -DFLAT -DBUG -> executions=22 findings=deadlock
// EXPLORE: -DFLAT -DBUG -> options=--memory,c11 executions=22 findings=deadlock full
// EXPLORE: -DPHIL -> executions=6
// EXPLORE: -DPHIL -> options=--memory,c11 executions=6 full
// EXPLORE: -DPHIL -DBUG -> executions=7 findings=deadlock
// EXPLORE: -DPHIL -DBUG -> options=--memory,c11 executions=7 findings=deadlock full
// EXPLORE: -DPHILTRY -> executions=22
// EXPLORE: -DPHILTRY -> options=--memory,c11 executions=22 full
// EXPLORE: -DPHILTRY -DBUG -> executions=15 findings=deadlock,misuse
// EXPLORE: -DPHILTRY -DBUG -> options=--memory,c11 executions=15 findings=deadlock,misuse full
// EXPLORE: -DTICKETSEM -> executions=1
// EXPLORE: -DTICKETSEM -> options=--memory,c11 executions=1 full
// EXPLORE: -DTICKETSEM -DBUG -> executions=1 findings=deadlock
// EXPLORE: -DTICKETSEM -DBUG -> options=--memory,c11 executions=1 findings=deadlock full
// EXPLORE: -DRWPREF -> executions=14
// EXPLORE: -DRWPREF -> options=--memory,c11 executions=14 full
// EXPLORE: -DRWPREF -DBUG -> executions=2 findings=deadlock
// EXPLORE: -DRWPREF -DBUG -> options=--memory,c11 executions=2 findings=deadlock full
#include "families.h"

#ifdef SENSE  // sense reversing barrier, 2 rounds; BUG: the sense is not turned
atomic_int count, sense;
int data[2];
static void meet(int* mine) {
#ifndef BUG
  *mine = !*mine;
#endif
  if (atomic_fetch_sub_explicit(&count, 1, AR) == 1) {
    ST(count, 2, RLX);
    ST(sense, *mine, REL);
  } else
    while (LD(sense, ACQ) != *mine);
}
T(L) {
  int mine = 0;
  long me = (long)arg;
  data[me] = 1;
  meet(&mine);
  assert(data[!me] == 1);
  meet(&mine);
  data[me] = 2;
  return arg;
}
int main() {
  count = 2;
  RUN(L, L);
}
#endif

#ifdef PC  // producer and two consumers; BUG: if in place of while
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int items, took;
T(P) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&m);
    ++items;
#ifdef BUG
    pthread_cond_broadcast(&c);
#else
    pthread_cond_signal(&c);
#endif
    pthread_mutex_unlock(&m);
  }
  return arg;
}
T(C) {
  pthread_mutex_lock(&m);
#ifdef BUG
  if (!items)
#else
  while (!items)
#endif
    pthread_cond_wait(&c, &m);
  assert(items > 0);
  --items;
  ++took;
  pthread_mutex_unlock(&m);
  return arg;
}
int main() {
  RUN(P, C, C);
  assert(items == 0 && took == 2);
}
#endif

#ifdef PCFULL  // one cell, one condition variable for both sides; BUG: signal in place of broadcast can wake the wrong
               // side
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int full;
#ifdef BUG
#define WAKE pthread_cond_signal
#else
#define WAKE pthread_cond_broadcast
#endif
T(P) {
  pthread_mutex_lock(&m);
  while (full) pthread_cond_wait(&c, &m);
  full = 1;
  WAKE(&c);
  pthread_mutex_unlock(&m);
  return arg;
}
T(C) {
  pthread_mutex_lock(&m);
  while (!full) pthread_cond_wait(&c, &m);
  full = 0;
  WAKE(&c);
  pthread_mutex_unlock(&m);
  return arg;
}
int main() { RUN(P, P, C, C); }
#endif

#ifdef FLAT  // event count by mutex+cond, timed; BUG: waits without looking at the predicate first
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int go;
T(W) {
  pthread_mutex_lock(&m);
#ifndef BUG
  while (!go)
#endif
    pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return arg;
}
T(S) {
  pthread_mutex_lock(&m);
  go = 1;
  pthread_mutex_unlock(&m);
  pthread_cond_broadcast(&c);
  return arg;
}
int main() { RUN(W, W, S); }
#endif

#ifdef PHIL  // three philosophers; BUG: all begin with the left one
pthread_mutex_t fk[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int meals[3];
T(P) {
  int i = (int)(long)arg, l = i, r = (i + 1) % 3;
#ifndef BUG
  if (i == 2) {
    l = r;
    r = i;
  }
#endif
  pthread_mutex_lock(&fk[l]);
  pthread_mutex_lock(&fk[r]);
  meals[i]++;
  pthread_mutex_unlock(&fk[r]);
  pthread_mutex_unlock(&fk[l]);
  return arg;
}
int main() { RUN(P, P, P); }
#endif

#ifdef PHILTRY  // gives the left one back when the right one is taken; never waits: may not eat, no deadlock. BUG:
                // forgets to give back
pthread_mutex_t fk[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int meals;
T(P) {
  int i = (int)(long)arg;
  pthread_mutex_lock(&fk[i]);
  if (pthread_mutex_trylock(&fk[!i]) == 0) {
    ++meals;
    pthread_mutex_unlock(&fk[!i]);
  }
#ifdef BUG
  else
    return arg;
#endif
  pthread_mutex_unlock(&fk[i]);
  return arg;
}
T(Q) {
  pthread_mutex_lock(&fk[0]);
  pthread_mutex_unlock(&fk[0]);
  return arg;
}
int main() { RUN(P, P, Q); }
#endif

#ifdef TICKETSEM  // semaphores: ping pong; BUG: one post is missing
sem_t s1, s2;
int v;
T(A) {
  for (int i = 0; i < 2; ++i) {
    sem_wait(&s1);
    v += 1;
    sem_post(&s2);
  }
  return arg;
}
T(B) {
  for (int i = 0; i < 2; ++i) {
    sem_wait(&s2);
    v *= 2;
#ifdef BUG
    if (i == 1)
#endif
      sem_post(&s1);
  }
  return arg;
}
int main() {
  sem_init(&s1, 0, 1);
  sem_init(&s2, 0, 0);
  RUN(A, B);
  assert(v == 6);
}
#endif

#ifdef RWPREF  // pthread rwlock, writer upgrades: BUG: both readers wait to upgrade: deadlock (EDEADLK is not for
               // readers)
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;
T(U) {
  pthread_rwlock_rdlock(&l);
  int r = x;
#ifdef BUG
  pthread_rwlock_wrlock(&l);
#else
  pthread_rwlock_unlock(&l);
  pthread_rwlock_wrlock(&l);
#endif
  x = r + 1;
  pthread_rwlock_unlock(&l);
#ifdef BUG
  pthread_rwlock_unlock(&l);
#endif
  return arg;
}
int main() {
  RUN(U, U);
  assert(x == 1 || x == 2);
}
#endif
