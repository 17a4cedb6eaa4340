#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct entry { pthread_mutex_t m; int refs; } cache[10];
static void addref(int *refs, pthread_mutex_t *m) {
  pthread_mutex_lock(m);
  (*refs)++;  // RACE
  pthread_mutex_unlock(m);
}
static void *work(void *arg) {
  for (int i = 0; i < 9; i++) addref(&cache[i].refs, &cache[i + 1].m);
  return arg;
}
int main(void) {
  pthread_t t;
  for (int i = 0; i < 10; i++) pthread_mutex_init(&cache[i].m, NULL);
  pthread_create(&t, NULL, work, NULL);
  for (int i = 0; i < 10; i++) addref(&cache[i].refs, &cache[i].m);
  pthread_join(t, NULL);
  return 0;
}
