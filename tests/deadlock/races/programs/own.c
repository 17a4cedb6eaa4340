// A thread's own variables: thread-local, on its stack, in memory that only it has. In the wrong version main's local is
// given to a thread.
#include <pthread.h>
#include <stdlib.h>
_Thread_local int calls;
void fill(int *numbers, int n) {
  for (int i = 0; i < n; ++i) numbers[i] = i;
}
void *work(void *arg) {
  int numbers[10];
  int *more = malloc(40);
  calls++;
  fill(numbers, 10);
  fill(more, 10);
  int result = numbers[3] + more[4];
  free(more);
  if (arg) *(int *)arg += result;  //@ A
  return 0;
}
void *rest(void *arg) {
  calls++;
  return arg;
}
int main(int argc, char **argv) {
  pthread_t a, b;
  int sum = 0;
#ifdef FIXED
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, rest, 0);
  sum = argc;
#else
  pthread_create(&a, 0, work, &sum);
  pthread_create(&b, 0, rest, 0);
  sum = argc;  //@ B
#endif
  calls--;
  pthread_join(a, 0);
  pthread_join(b, 0);
  return sum + calls;
}
// expect: sum A-B
