/* Threads that ask for more stack than others have and use it.
 * EXPLORE: -> findings=none options=--no-races */
#include <pthread.h>
#include <string.h>
enum { kAsked = 64 << 20, kUsed = 48 << 20 };
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static int g_sum;
static void* Run(void* unused) {
  char large[kUsed];
  for (long at = 0; at < kUsed; at += 4096) *(volatile char*)&large[at] = 1;
  pthread_mutex_lock(&g_mutex);
  g_sum += large[0];
  pthread_mutex_unlock(&g_mutex);
  return unused;
}
int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kAsked);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], &attributes, Run, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return g_sum == 2 ? 0 : 1;
}
