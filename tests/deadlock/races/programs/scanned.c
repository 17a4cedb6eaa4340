// The C library writes: scanf by its format.
#include <pthread.h>
#include <stdio.h>
struct { int wanted, other; } input;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *reader(void *arg) {
  pthread_mutex_lock(&m);
  input.wanted++;  //@ A
  input.other++;
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, reader, 0);
#ifdef FIXED
  pthread_mutex_lock(&m);
#endif
  scanf("%d", &input.wanted);  //@ B
#ifdef FIXED
  pthread_mutex_unlock(&m);
#endif
  pthread_join(t, 0);
  return 0;
}
// expect: input.wanted A-B
