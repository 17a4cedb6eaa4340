// why: a number in the memory of a thread is its own
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct arg { int id; int result; };
static int cells[8];
static void *work(void *p) {
  struct arg *a = p;
  cells[a->id]++;  // NORACE
  a->result = a->id;  // NORACE
  return NULL;
}
int main(void) {
  pthread_t t[8];
  struct arg args[8];
  for (int i = 0; i < 8; i++) {
    args[i].id = i;  // NORACE
    args[i].result = 0;  // NORACE
    pthread_create(&t[i], NULL, work, &args[i]);
  }
  int sum = 0;
  for (int i = 0; i < 8; i++) {
    pthread_join(t[i], NULL);
    sum += args[i].result;  // NORACE
  }
  return sum;
}
