#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int cells[8];
static void *work(void *arg) {
  long i = (long)arg;
  cells[i]++;  // RACE
  cells[i + 1]++;  // RACE
  return NULL;
}
static void *shared(void *arg) {
  int *i = arg;
  cells[*i]++;  // RACE
  return NULL;
}
int main(void) {
  pthread_t t[8];
  int i;
  for (long k = 0; k < 7; k++) pthread_create(&t[k], NULL, work, (void *)k);
  for (i = 0; i < 7; i++) {
    pthread_t u;
    pthread_create(&u, NULL, shared, &i);
  }
  return 0;
}
