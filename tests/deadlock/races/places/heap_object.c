#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct obj { pthread_mutex_t m; int x, y; };
static void *work(void *arg) {
  struct obj *o = arg;
  pthread_mutex_lock(&o->m);
  o->x++;  // NORACE
  pthread_mutex_unlock(&o->m);
  o->y++;  // RACE
  return NULL;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 2; i++) {
    struct obj *o = malloc(sizeof *o);
    pthread_mutex_init(&o->m, NULL);
    o->x = 0;  // NORACE
    o->y = 0;  // NORACE
    pthread_create(&t[2 * i], NULL, work, o);
    pthread_create(&t[2 * i + 1], NULL, work, o);
  }
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  return 0;
}
