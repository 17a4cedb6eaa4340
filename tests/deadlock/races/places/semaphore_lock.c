#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int x;
static sem_t s;
static void *work(void *arg) {
  sem_wait(&s);
  x++;  // NORACE
  sem_post(&s);
  return arg;
}
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 1);
  pthread_create(&t, NULL, work, NULL);
  sem_wait(&s);
  x++;  // NORACE
  sem_post(&s);
  pthread_join(t, NULL);
  return 0;
}
