#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int choice(void);
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  int c = choice();
  if (c) pthread_mutex_lock(&m);
  if (c) x++;  // NORACE
  if (c) pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  int c = choice();
  if (c) pthread_mutex_lock(&m);
  y = c;
  if (c) x++;  // NORACE
  y = c + 1;
  if (c) pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
