#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static void *work(void *arg) {
  int *p = arg;
  (*p)++;  // RACE
  return NULL;
}
static void *alone(void *arg) {
  int *p = arg;
  (*p)++;  // NORACE
  return NULL;
}
int main(void) {
  pthread_t t, u;
  int i = 1, j = 2, k = 3;
  pthread_create(&t, NULL, work, &i);
  pthread_create(&u, NULL, alone, &j);
  i++;  // RACE
  k++;  // NORACE
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  i++;  // NORACE
  j++;  // NORACE
  return i + j + k;
}
