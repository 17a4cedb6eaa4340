#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int choice(void);
struct entry { pthread_mutex_t m; int refs; } cache[10];
static void *work(void *arg) {
  int i = choice() % 9;
  pthread_mutex_lock(&cache[i].m);
  i++;
  cache[i].refs++;  // RACE
  i--;
  pthread_mutex_unlock(&cache[i].m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  for (int i = 0; i < 10; i++) {
    struct entry *e = &cache[i];
    pthread_mutex_lock(&e->m);
    cache[i].refs++;  // RACE
    pthread_mutex_unlock(&e->m);
  }
  pthread_join(t, NULL);
  return 0;
}
