/* Executions that write more than can be restored run in copies of the process.
 * EXPLORE: -> executions=2 options=--no-races,--commute,off says=too.much.memory */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static atomic_int g_sum;
static void* Run(void* unused) {
  g_sum++;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, Run, 0);
  size_t bytes = (size_t)300 << 20;
  volatile char* memory = malloc(bytes);
  if (memory == NULL) return 1;
  for (size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
  g_sum++;
  pthread_join(thread, 0);
  return 0;
}
