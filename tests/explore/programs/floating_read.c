/* N writers and one reader among them: (N + 1)! executions.
   EXPLORE: -DN=4 -> executions=120 options=--no-races
   EXPLORE: -DN=6 -> executions=5040 options=--no-races full
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
static void* Read(void* unused) {
  (void)atomic_load(&x);
  return unused;
}
int main(void) {
  pthread_t threads[N + 1];
  for (intptr_t i = 0; i < N; ++i) pthread_create(&threads[i], 0, Write, (void*)(i + 1));
  pthread_create(&threads[N], 0, Read, 0);
  for (int i = 0; i <= N; ++i) pthread_join(threads[i], 0);
  return 0;
}
