// What was done once is known to who has come back from pthread_once.
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
int table;
static int seen[2];
static void fill(void) { table = 7; }  //@ A
static void* first(void* x) {
  pthread_once(&once, fill);
  seen[0] = table;
  return x;
}
static void* second(void* x) {
#ifdef FIXED
  pthread_once(&once, fill);
#endif
  seen[1] = table;  //@ B
  return x;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return seen[0] + seen[1];
}
// expect: table A-B
