// why: which part of an array is whose is computed from the number of the thread
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int data[400];
static void *work(void *arg) {
  long n = (long)arg;
  for (long i = n * 100; i < (n + 1) * 100; i++) data[i] = 1;  // NORACE
  return NULL;
}
int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void *)i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  return data[7];  // NORACE
}
