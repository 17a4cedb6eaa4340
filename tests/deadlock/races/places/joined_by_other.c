#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x;
static pthread_t first;
static void *one(void *arg) {
  x++;  // NORACE
  return arg;
}
static void *two(void *arg) {
  pthread_join(first, NULL);
  x++;  // NORACE
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&first, NULL, one, NULL);
  pthread_create(&t, NULL, two, NULL);
  pthread_join(t, NULL);
  x++;  // NORACE
  return 0;
}
