#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int *shared;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make(void) {
  shared = malloc(sizeof *shared);  // NORACE
  *shared = 3;  // NORACE
}
static void *work(void *arg) {
  pthread_once(&once, make);
  return (void *)(long)*shared;  // NORACE
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_once(&once, make);
  int k = *shared;  // NORACE
  pthread_join(t, NULL);
  return k;
}
