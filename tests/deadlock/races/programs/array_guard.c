// A lock for each element of another array; once the number has changed it is another lock.
#include <pthread.h>
#define COUNT 8
static pthread_mutex_t locks[COUNT];
int values[COUNT];
static void change(int number) {
  pthread_mutex_lock(&locks[number]);
#ifdef FIXED
  values[number]++;
#else
  values[(number + 1) % COUNT]++;  //@ A
#endif
  pthread_mutex_unlock(&locks[number]);
}
static void* first(void* x) {
  for (int i = 0; i < COUNT; ++i) change(i);
  return x;
}
static void* second(void* x) {
  for (int i = COUNT - 1; i >= 0; --i) change(i);
  return x;
}
int main(void) {
  for (int i = 0; i < COUNT; ++i) pthread_mutex_init(&locks[i], 0);
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
// expect: values[*] A-A
