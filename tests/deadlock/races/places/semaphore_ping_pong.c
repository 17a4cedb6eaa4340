#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int x;
static sem_t go, done;
static void *work(void *arg) {
  sem_wait(&go);
  x++;  // NORACE
  sem_post(&done);
  return arg;
}
int main(void) {
  pthread_t t;
  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  pthread_create(&t, NULL, work, NULL);
  x = 1;  // NORACE
  sem_post(&go);
  sem_wait(&done);
  x++;  // NORACE
  pthread_join(t, NULL);
  return 0;
}
