#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct entry { pthread_mutex_t m; int refs; } cache[10];
static void addref(struct entry *e) {
  pthread_mutex_lock(&e->m);
  e->refs++;  // RACE
  pthread_mutex_unlock(&e->m);
}
static void *work(void *arg) {
  for (int i = 0; i < 10; i++) addref(&cache[i]);
  return arg;
}
int main(void) {
  pthread_t t;
  for (int i = 0; i < 10; i++) pthread_mutex_init(&cache[i].m, NULL);
  pthread_create(&t, NULL, work, NULL);
  for (int i = 0; i < 10; i++) cache[i].refs++;  // RACE
  pthread_join(t, NULL);
  return 0;
}
