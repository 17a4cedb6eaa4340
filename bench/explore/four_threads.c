/* Four threads, each with three atomic increments and a critical section. */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int g_sums[3];
static int g_value;
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static void* Run(void* unused) {
  long found = 0; /* or nobody could tell the order of the increments */
  for (int i = 0; i < 3; ++i) found += atomic_fetch_add(&g_sums[i], 1);
  pthread_mutex_lock(&g_lock);
  ++g_value;
  pthread_mutex_unlock(&g_lock);
  return found >= 0 ? unused : 0;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, Run, 0);
  Run(0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return g_value == 4 ? 0 : 1;
}
