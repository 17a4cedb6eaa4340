/* The main thread ends before the others; a handler of exit checks what they left. Two threads write two variables.
   EXPLORE: -> executions=4 findings=none
   EXPLORE: -DBUG -> executions=4 findings=assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x, y;
static void Check(void) {
#ifdef BUG
  assert(!(x == 1 && y == 2));
#else
  assert(x != 0 && y != 0);
#endif
}
static void* Write(void* value) {
  x = (int)(long)value;
  y = (int)(long)value;
  return 0;
}
int main(void) {
  pthread_t thread;
  atexit(Check);
  pthread_create(&thread, 0, Write, (void*)1);
  pthread_create(&thread, 0, Write, (void*)2);
  pthread_exit(0);
}
