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
  cells[i]++;  // NORACE
  return NULL;
}
int main(void) {
  pthread_t t[8];
  for (long i = 0; i < 8; i++) pthread_create(&t[i], NULL, work, (void *)i);
  for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
  return cells[3];  // NORACE
}
