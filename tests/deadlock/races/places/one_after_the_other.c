#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x;
static void *work(void *arg) {
  x++;  // NORACE
  return arg;
}
int main(void) {
  pthread_t t;
  for (int i = 0; i < 5; i++) {
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    x++;  // NORACE
  }
  return 0;
}
