/* A lock with a limit may not come in time, however long the limit is: the witness says where it ran out.
 * EXPLORE: -> findings=failure says=lock.(times.out) */
#include <pthread.h>
#include <time.h>
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static int g_sum;
static void* Run(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1000;
  if (pthread_mutex_timedlock(&g_mutex, &until) != 0) return unused;
  ++g_sum;
  pthread_mutex_unlock(&g_mutex);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, Run, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return g_sum == 2 ? 0 : 1;
}
