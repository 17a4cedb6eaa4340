/* N writers, one read behind all of them: N! executions.
   EXPLORE: -DN=5 -> executions=120 options=--no-races
   EXPLORE: -DN=6 -> executions=720 options=--no-races full
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef N
#define N 3
#endif
static atomic_int x;
static void* Write(void* argument) {
  atomic_store(&x, (int)(intptr_t)argument);
  return 0;
}
int main(void) {
  pthread_t threads[N];
  for (intptr_t i = 0; i < N; ++i) pthread_create(&threads[i], 0, Write, (void*)(i + 1));
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
  return atomic_load(&x) == 0;
}
