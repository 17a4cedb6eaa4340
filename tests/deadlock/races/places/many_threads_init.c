#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int x;
static pthread_mutex_t m;
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  x++;  // NORACE
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t[100];
  pthread_mutex_init(&m, NULL);
  x = 0;  // NORACE
  for (int i = 0; i < 100; i++) pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 100; i++) pthread_join(t[i], NULL);
  pthread_mutex_destroy(&m);
  return x;  // NORACE
}
