// why: what the array of pointers has at a place is what the thread of that turn got
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct arg { int id; int result; };
static void *work(void *p) {
  struct arg *a = p;
  a->result = a->id;  // NORACE
  return NULL;
}
int main(void) {
  pthread_t t[8];
  struct arg *args[8];
  for (int i = 0; i < 8; i++) {
    args[i] = malloc(sizeof *args[i]);
    args[i]->id = i;  // NORACE
    pthread_create(&t[i], NULL, work, args[i]);
  }
  int sum = 0;
  for (int i = 0; i < 8; i++) {
    pthread_join(t[i], NULL);
    sum += args[i]->result;  // NORACE
    free(args[i]);  // NORACE
  }
  return sum;
}
