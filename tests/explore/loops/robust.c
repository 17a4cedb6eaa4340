/* A thread ends with a robust mutex locked: the next one hears of it, nobody waits for ever. A barrier that was never
   made is no barrier.
   EXPLORE: -> exit=3 says=robust.mutex
   EXPLORE: -DBARRIER -> exit=3 says=not.initialised
 */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock;
static pthread_barrier_t barrier;
static void* Die(void* unused) {
#ifdef BARRIER
  pthread_barrier_wait(&barrier);
#else
  pthread_mutex_lock(&lock);
  (void)barrier;
#endif
  return unused;
}
int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &attributes);
  pthread_t thread;
  pthread_create(&thread, 0, Die, 0);
  pthread_join(thread, 0);
  if (pthread_mutex_lock(&lock) != 0) pthread_mutex_consistent(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
