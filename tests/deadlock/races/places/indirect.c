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
int *p = &x, *q = &y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  int **w = choice() ? &p : &q;
  pthread_mutex_lock(&m);
  (**w)++;  // NORACE
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&m);
  x++;  // NORACE
  y++;  // NORACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
