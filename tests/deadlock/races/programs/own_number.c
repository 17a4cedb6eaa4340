// Each thread of the loop has a number of its own; half of it is the number of another one, too.
#include <pthread.h>
#define COUNT 4
int values[COUNT];
static void* work(void* number) {
  long mine = (long)number;
#ifdef FIXED
  values[mine]++;
#else
  values[mine / 2]++;  //@ A
#endif
  return 0;
}
int main(void) {
  pthread_t threads[COUNT];
  for (long i = 0; i < COUNT; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < COUNT; ++i) pthread_join(threads[i], 0);
  return values[0];
}
// expect: values[*] A-A
