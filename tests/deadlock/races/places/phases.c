#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int x;
static void *one(void *arg) { x++; return arg; }  // NORACE
static void *two(void *arg) { x += 2; return arg; }  // NORACE
static void phase(void *(*f)(void *)) {
  pthread_t t;
  pthread_create(&t, NULL, f, NULL);
  pthread_join(t, NULL);
}
int main(void) {
  phase(one);
  phase(two);
  x++;  // NORACE
  return 0;
}
