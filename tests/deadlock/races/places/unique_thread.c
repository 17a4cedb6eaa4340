#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x, y, z;
static void *one(void *arg) {
  x++;  // NORACE
  return arg;
}
static void *two(void *arg) {
  y++;  // RACE
  return arg;
}
static void start(pthread_t *t) { pthread_create(t, NULL, two, NULL); }
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, one, NULL);
  start(&b);
  start(&c);
  z++;  // NORACE
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}
