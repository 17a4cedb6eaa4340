/* Loops that try, or that look under a lock: rounds that take a lock and give it back.
   EXPLORE: -DWAIT=tries -> findings=none
   EXPLORE: -DWAIT=tries -DBUG -> findings=livelock
   EXPLORE: -DWAIT=takes -> findings=none
   EXPLORE: -DWAIT=takes -DBUG -> findings=livelock
   EXPLORE: -DWAIT=asks -> findings=none
   EXPLORE: -DWAIT=asks -DBUG -> findings=livelock
   EXPLORE: -DWAIT=looks -> findings=none
   EXPLORE: -DWAIT=looks -DBUG -> findings=livelock
   EXPLORE: -DWAIT=looks -> findings=none options=--memory,c11
   EXPLORE: -DWAIT=looks -DBUG -> findings=livelock options=--memory,c11
   EXPLORE: -DWAIT=looks_and_yields -> findings=none
   EXPLORE: -DWAIT=looks_and_yields -DBUG -> findings=livelock
   EXPLORE: -DWAIT=reads -> findings=none
   EXPLORE: -DWAIT=reads -DBUG -> findings=livelock
   A round that another thread saw is not left out: it failed twice, which needs two rounds.
   EXPLORE: -DWAIT=looks -DSEEN -> findings=crash
   Nor one that writes, between two sections, what others may read: such rounds are different ones.
   EXPLORE: -DWAIT=beats -DBUG -> exit=3 options=--depth,100 says=cut.at
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int done;
int beat; /* not static, or the compiler sees that nobody reads it */
static void tries(void) {
  while (pthread_mutex_trylock(&held) != 0) {
  }
  pthread_mutex_unlock(&held);
}
static void takes(void) {
  while (sem_trywait(&semaphore) != 0) {
  }
}
static void asks(void) {
  int value = 0;
  do {
    sem_getvalue(&semaphore, &value);
  } while (value == 0);
}
static int Look(void) {
  pthread_mutex_lock(&lock);
  int seen = done;
  pthread_mutex_unlock(&lock);
  return seen;
}
static void looks(void) {
  while (!Look()) {
  }
}
static void looks_and_yields(void) {
  while (!Look()) sched_yield();
}
static void reads(void) {
  for (int seen = 0; !seen;) {
    pthread_rwlock_rdlock(&shared);
    seen = done;
    pthread_rwlock_unlock(&shared);
  }
}
static void Beat(int value) {
  pthread_mutex_lock(&lock);
  beat = value;
  pthread_mutex_unlock(&lock);
}
static void beats(void) {
  while (!Look()) {
    Beat(1);
    Beat(0);
  }
}
static void* Waiter(void* unused) {
  (void)tries, (void)takes, (void)asks, (void)looks, (void)looks_and_yields, (void)reads, (void)beats;
  WAIT();
  return unused;
}
static void* Setter(void* unused) {
#ifdef SEEN
  int failed = 0;
  for (int i = 0; i < 2; ++i) {
    if (pthread_mutex_trylock(&lock) != 0) {
      ++failed;
    } else {
      pthread_mutex_unlock(&lock);
    }
    sched_yield();
  }
  if (failed == 2) abort();
#endif
#ifndef BUG
  pthread_mutex_lock(&lock);
  pthread_rwlock_wrlock(&shared);
  done = 1;
  pthread_rwlock_unlock(&shared);
  pthread_mutex_unlock(&lock);
  sem_post(&semaphore);
  pthread_mutex_unlock(&held);
#endif
  return unused;
}
static void* Holder(void* unused) {
  pthread_mutex_lock(&held);
  pthread_t thread;
  pthread_create(&thread, 0, Waiter, 0);
  Setter(0);
  pthread_join(thread, 0);
  return unused;
}
int main(void) {
  sem_init(&semaphore, 0, 0);
  Holder(0);
  return 0;
}
