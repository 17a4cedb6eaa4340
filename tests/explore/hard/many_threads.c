/* Up to 256 threads are searched, 1,000 are sampled. More are not, and that is said. Only the last two threads do something that others can
 * see: a counter that is not incremented atomically.
 * EXPLORE: -DN=250 -> executions=4 options=--no-races
 * EXPLORE: -DN=250 -DCHECK -> findings=assertion options=--no-races,--algorithm,source
 * EXPLORE: -DN=300 -> exit=3 says=more.than.256.threads
 * EXPLORE: -DN=70 -> exit=3 says=more.than.64.threads options=--memory,c11
 * EXPLORE: -DN=1000 -> exit=0 says=3.samples.by.pct options=--algorithm,pct,--executions,3,--no-races
 * EXPLORE: -DN=1000 -> exit=0 says=3.samples.by.random options=--algorithm,random,--executions,3,--no-races
 * EXPLORE: -DN=1100 -> exit=3 says=more.than.1024.threads options=--algorithm,pos,--executions,3 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
static atomic_int g_own[N], g_count;
static void* Run(void* argument) {
  intptr_t i = (intptr_t)argument;
  atomic_store(&g_own[i], 1);
  if (i < N - 2) return NULL;
  int count = atomic_load(&g_count);
  atomic_store(&g_count, count + 1);
  return NULL;
}
int main(void) {
  static pthread_t threads[N];
  for (intptr_t i = 0; i < N; ++i) {
    if (pthread_create(&threads[i], NULL, Run, (void*)i) != 0) abort();
  }
  for (int i = 0; i < N; ++i) pthread_join(threads[i], NULL);
#ifdef CHECK
  assert(g_count == 2);
#endif
  return 0;
}
