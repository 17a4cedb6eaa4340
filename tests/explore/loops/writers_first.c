/* A lock that prefers writers: who reads twice waits for a writer that waits for it. One that prefers readers, glibc's
   default, lets it in.
   EXPLORE: -> findings=none
   EXPLORE: -DTWICE -> findings=none
   EXPLORE: -DWRITERS_FIRST -> findings=none
   EXPLORE: -DWRITERS_FIRST -> findings=none options=--memory,c11
   EXPLORE: -DWRITERS_FIRST -DTWICE -> findings=deadlock
   EXPLORE: -DWRITERS_FIRST -DTWICE -> findings=deadlock options=--memory,c11
   EXPLORE: -DWRITERS_FIRST -DTWICE -> findings=deadlock options=--algorithm,source
   EXPLORE: -DWRITERS_FIRST -DTWICE -DTRY -> findings=failure
   EXPLORE: -DTWICE -DTRY -> findings=none
   EXPLORE: -DWRITERS_FIRST -DLIMIT -> exit=3 says=prefers.writers
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static pthread_rwlock_t lock;
static int value, busy;
static void* Read(void* unused) {
  pthread_rwlock_rdlock(&lock);
  int seen = value;
#ifdef TRY
  if (pthread_rwlock_tryrdlock(&lock) == 0) {
    pthread_rwlock_unlock(&lock);
  } else {
    busy = 1;
  }
#elif defined TWICE
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
#endif
  if (seen != value) abort();
  pthread_rwlock_unlock(&lock);
  return unused;
}
static void* Write(void* unused) {
#ifdef LIMIT
  struct timespec soon = {0, 0};
  if (pthread_rwlock_timedwrlock(&lock, &soon) != 0) return unused;
#else
  pthread_rwlock_wrlock(&lock);
#endif
  ++value;
  pthread_rwlock_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
#ifdef WRITERS_FIRST
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
  pthread_rwlock_init(&lock, &attributes);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, Read, 0);
  pthread_create(&threads[1], 0, Write, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return busy;
}
