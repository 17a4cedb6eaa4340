#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x;
pthread_spinlock_t l;
static void *work(void *arg) {
  pthread_spin_lock(&l);
  x++;  // NORACE
  pthread_spin_unlock(&l);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_spin_init(&l, 0);
  pthread_create(&t, NULL, work, NULL);
  pthread_spin_lock(&l);
  x++;  // NORACE
  pthread_spin_unlock(&l);
  pthread_join(t, NULL);
  return 0;
}
