#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int x;
static void *inner(void *arg) { x++; return arg; }  // RACE
static void *outer(void *arg) {
  pthread_t t;
  pthread_create(&t, NULL, inner, NULL);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, outer, NULL);
  pthread_join(t, NULL);
  x++;  // RACE
  return 0;
}
