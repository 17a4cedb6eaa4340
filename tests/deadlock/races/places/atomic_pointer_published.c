#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct box { int v; };
static _Atomic(struct box *) where;
static void *work(void *arg) {
  struct box *b = malloc(sizeof *b);
  b->v = 3;  // NORACE
  atomic_store(&where, b);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  struct box *b = atomic_load(&where);
  int k = b ? b->v : 0;  // NORACE
  pthread_join(t, NULL);
  return k;
}
