// why: the lock is behind a pointer in the object
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct obj { pthread_mutex_t *m; int v; };
static struct obj *make(void) {
  struct obj *o = malloc(sizeof *o);
  o->m = malloc(sizeof *o->m);
  pthread_mutex_init(o->m, NULL);
  o->v = 0;  // NORACE
  return o;
}
static void bump(struct obj *o) {
  pthread_mutex_lock(o->m);
  o->v++;  // NORACE
  pthread_mutex_unlock(o->m);
}
static void *work(void *p) {
  bump(p);
  return NULL;
}
int main(void) {
  pthread_t t[6];
  for (int i = 0; i < 3; i++) {
    struct obj *o = make();
    pthread_create(&t[2 * i], NULL, work, o);
    pthread_create(&t[2 * i + 1], NULL, work, o);
  }
  for (int i = 0; i < 6; i++) pthread_join(t[i], NULL);
  return 0;
}
