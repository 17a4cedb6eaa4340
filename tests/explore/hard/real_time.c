/* Clocks and sleeps are virtual: what depends on them is the same in each execution.
 * EXPLORE: -> executions=2 options=--commute,off */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static atomic_int g_sum;
static void* Run(void* unused) {
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  usleep(1000000);
  clock_gettime(CLOCK_MONOTONIC, &after);
  if (after.tv_sec - before.tv_sec >= 1) g_sum++;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, Run, 0);
  g_sum++;
  pthread_join(thread, 0);
  return g_sum == 2 ? 0 : 1;
}
