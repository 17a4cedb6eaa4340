/* A thread that computes for ever: the execution is killed, the search says so.
 * EXPLORE: -> options=--time,2s findings=livelock bounded possible says=did.not.end */
#include <pthread.h>
static volatile int g_spin;
static void* Run(void* unused) {
  while (g_spin == 0) {
  }
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, Run, 0);
  pthread_join(thread, 0);
  return 0;
}
