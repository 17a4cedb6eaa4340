#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct arg { pthread_mutex_t *m; int *v; };
static int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
  struct arg *a = p;
  pthread_mutex_lock(a->m);
  (*a->v)++;  // NORACE
  pthread_mutex_unlock(a->m);
  return NULL;
}
int main(void) {
  pthread_t t, u;
  struct arg a = {&m, &x};
  pthread_create(&t, NULL, work, &a);
  pthread_create(&u, NULL, work, &a);
  pthread_mutex_lock(&m);
  x++;  // NORACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
