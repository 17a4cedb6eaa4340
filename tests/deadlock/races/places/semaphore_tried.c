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
  x = 4;  // RACE
  sem_post(&s);
  return arg;
}
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_create(&t, NULL, work, NULL);
  sem_trywait(&s);
  x++;  // RACE
  pthread_join(t, NULL);
  return 0;
}
