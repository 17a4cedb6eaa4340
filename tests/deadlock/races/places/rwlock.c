#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x, y;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *work(void *arg) {
  pthread_rwlock_wrlock(&l);
  x++;  // NORACE
  pthread_rwlock_unlock(&l);
  pthread_rwlock_rdlock(&l);
  y++;  // RACE
  pthread_rwlock_unlock(&l);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_rwlock_rdlock(&l);
  int k = x;  // NORACE
  y++;  // RACE
  pthread_rwlock_unlock(&l);
  pthread_join(t, NULL);
  return k;
}
