/* A large heap that was written before the first thread, and little of it in each execution.
 * EXPLORE: -> executions=2 options=--no-races,--commute,off */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static atomic_int g_sum;
static char* g_memory;
static void* Run(void* unused) {
  g_memory[12345678]++;
  g_sum++;
  return unused;
}
int main(void) {
  pthread_t thread;
  size_t bytes = (size_t)2 << 30;
  g_memory = malloc(bytes);
  if (g_memory == NULL) return 1;
  for (size_t i = 0; i < bytes; i += 1 << 16) g_memory[i] = 1;
  pthread_create(&thread, 0, Run, 0);
  g_sum++;
  pthread_join(thread, 0);
  return g_memory[12345678] == 1 ? 0 : 1;
}
