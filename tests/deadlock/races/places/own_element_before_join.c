#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct arg { int id; } args[8];
static void *work(void *p) {
  struct arg *a = p;
  a->id++;  // RACE
  return NULL;
}
int main(void) {
  pthread_t t[8];
  int sum = 0;
  for (int i = 0; i < 8; i++) pthread_create(&t[i], NULL, work, &args[i]);
  for (int i = 0; i < 8; i++) {
    sum += args[i].id;  // RACE
    pthread_join(t[i], NULL);
  }
  return sum;
}
