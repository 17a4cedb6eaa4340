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
static void *one(void *arg) {
  x = 4;  // RACE
  sem_post(&s);
  return arg;
}
static void *two(void *arg) {
  sem_post(&s);
  return arg;
}
int main(void) {
  pthread_t t, u;
  sem_init(&s, 0, 0);
  pthread_create(&t, NULL, one, NULL);
  pthread_create(&u, NULL, two, NULL);
  sem_wait(&s);
  x++;  // RACE
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
