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
  x++;  // RACE
  sem_post(&s);
  return arg;
}
int main(void) {
  pthread_t t, u;
  sem_init(&s, 0, 2);
  pthread_create(&t, NULL, work, NULL);
  pthread_create(&u, NULL, work, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
