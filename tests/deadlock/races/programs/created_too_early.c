// The element is set after the thread that reads it was started.
#include <pthread.h>
#include <stdlib.h>
void *thread(void *arg) {
  int *mine = arg;
  return (void *)(long)*mine;  //@ A
}
int main(int argc, char **argv) {
  int n = argc;
  pthread_t *threads = malloc((unsigned long)n * sizeof(pthread_t));
  int *numbers = calloc((unsigned long)n, sizeof(int));
#ifdef FIXED
  for (int i = 0; i < n; i++) numbers[i] = i;
#endif
  for (int i = 0; i < n; i++) {
    pthread_create(&threads[i], 0, thread, &numbers[i]);
#ifndef FIXED
    numbers[i] = i;  //@ B
#endif
  }
  for (int i = 0; i < n; i++) pthread_join(threads[i], 0);
  return 0;
}
// expect: *numbers A-B
