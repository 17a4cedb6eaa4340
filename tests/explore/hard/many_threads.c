/* More than 64 threads: not supported, and said.
 * EXPLORE: -> exit=3 says=more.than.64.threads */
#include <pthread.h>
static void* Run(void* unused) { return unused; }
int main(void) {
  pthread_t threads[70];
  for (int i = 0; i < 70; ++i) pthread_create(&threads[i], 0, Run, 0);
  for (int i = 0; i < 70; ++i) pthread_join(threads[i], 0);
  return 0;
}
