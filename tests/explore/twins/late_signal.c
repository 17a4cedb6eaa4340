/* A wait with a limit ends by the limit, then the signal comes, then the waiter has the mutex again: both "timed out" and the flag are true.
 * Who takes the first for the negation of the second is wrong.
 * EXPLORE: -DBUG -> findings=assertion
 * EXPLORE: -> executions=4 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
static int g_ready;
static void* Wait(void* argument) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  pthread_mutex_lock(&g_lock);
  int before = g_ready;
  int error = pthread_cond_timedwait(&g_changed, &g_lock, &until);
  assert(error == 0 || error == ETIMEDOUT);
#ifdef BUG
  if (!before) assert(g_ready == (error == 0));
#else
  if (!before && error == 0) assert(g_ready);
#endif
  pthread_mutex_unlock(&g_lock);
  return argument;
}
static void* Change(void* argument) {
  pthread_mutex_lock(&g_lock);
  g_ready = 1;
  pthread_cond_signal(&g_changed);
  pthread_mutex_unlock(&g_lock);
  return argument;
}
int main(void) {
  pthread_t waiter, other;
  pthread_create(&waiter, NULL, Wait, NULL);
  pthread_create(&other, NULL, Change, NULL);
  pthread_join(waiter, NULL);
  pthread_join(other, NULL);
  return 0;
}
