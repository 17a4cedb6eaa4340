/* N atomic increments whose results nobody uses: N! orders, which are one execution where these commute.
   EXPLORE: -DN=5 -> executions=120 options=--no-races,--commute,off
   EXPLORE: -DN=5 -> executions=1 options=--no-races
   EXPLORE: -DN=5 -> executions=1
   EXPLORE: -DN=5 -> executions=1 options=--algorithm,source
   EXPLORE: -DN=5 -> executions=1 options=--jobs,2
 */
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
static atomic_int x;
static void* Add(void* unused) {
  atomic_fetch_add(&x, 1);
  return unused;
}
int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; ++i) pthread_create(&threads[i], 0, Add, 0);
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
  return atomic_load(&x) != N;
}
