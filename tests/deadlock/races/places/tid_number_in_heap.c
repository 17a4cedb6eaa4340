// why: a number in the memory of a thread is its own
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int cells[8];
static void *work(void *p) {
  int id = *(int *)p;  // NORACE
  free(p);  // NORACE
  cells[id]++;  // NORACE
  return NULL;
}
int main(void) {
  pthread_t t[8];
  for (int i = 0; i < 8; i++) {
    int *id = malloc(sizeof *id);
    *id = i;  // NORACE
    pthread_create(&t[i], NULL, work, id);
  }
  for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
  return cells[0];  // NORACE
}
