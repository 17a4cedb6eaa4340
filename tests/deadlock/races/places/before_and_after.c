#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int a, b, c;
static void *work(void *arg) {
  a++;  // NORACE
  b++;  // RACE
  c++;  // NORACE
  return arg;
}
int main(void) {
  pthread_t t;
  a = 1;  // NORACE
  pthread_create(&t, NULL, work, NULL);
  b = 2;  // RACE
  pthread_join(t, NULL);
  c = 3;  // NORACE
  return 0;
}
