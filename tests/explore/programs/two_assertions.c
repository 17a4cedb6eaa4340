/* Two assertions behind the same operation are two findings: in one order of the threads one fails, in another the other.
 * EXPLORE: -> findings=assertion executions=3 says=2.findings */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int g_first, g_second;
static void* Set(void* argument) {
  atomic_store(&g_first, 1);
  atomic_store(&g_second, 1);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Set, NULL);
  int second = atomic_load(&g_second);
  int first = atomic_load(&g_first);
  pthread_join(thread, NULL);
  assert(first == 1);
  assert(second == 1);
  return 0;
}
