#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int x;
static pthread_t last;
static void *one(void *arg) {
  x++;  // RACE
  return arg;
}
static void *two(void *arg) {
  pthread_join(last, NULL);
  x++;  // RACE
  return arg;
}
int main(void) {
  pthread_t t;
  for (int i = 0; i < 3; i++) pthread_create(&last, NULL, one, NULL);
  pthread_create(&t, NULL, two, NULL);
  pthread_join(t, NULL);
  return 0;
}
