#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct arg { int id; };
static struct arg *everybody;
static void *work(void *p) {
  struct arg *a = p;
  a->id++;  // RACE
  return NULL;
}
int main(void) {
  pthread_t t[8];
  for (int i = 0; i < 8; i++) {
    struct arg *a = malloc(sizeof *a);
    everybody = a;
    pthread_create(&t[i], NULL, work, a);
    everybody->id++;  // RACE
  }
  for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
  return 0;
}
