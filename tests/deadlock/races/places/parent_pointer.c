#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct pool { pthread_mutex_t m; int used; };
struct worker { struct pool *pool; int id; };
static void *work(void *p) {
  struct worker *w = p;
  struct pool *pool = w->pool;  // NORACE
  pthread_mutex_lock(&pool->m);
  w->pool->used++;  // NORACE
  pthread_mutex_unlock(&w->pool->m);
  return NULL;
}
int main(void) {
  pthread_t t[4];
  struct worker w[4];
  struct pool *pool = calloc(1, sizeof *pool);
  pthread_mutex_init(&pool->m, NULL);
  for (int i = 0; i < 4; i++) {
    w[i].pool = pool;  // NORACE
    w[i].id = i;  // NORACE
    pthread_create(&t[i], NULL, work, &w[i]);
  }
  pthread_mutex_lock(&pool->m);
  int k = pool->used;  // NORACE
  pthread_mutex_unlock(&pool->m);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  free(pool);  // NORACE
  return k;
}
