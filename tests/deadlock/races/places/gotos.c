#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int choice(void);
static int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  if (choice()) goto out;
  x++;  // NORACE
  if (choice()) { pthread_mutex_unlock(&m); y++; return arg; }  // RACE
out:
  x++;  // NORACE
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, work, NULL);
  pthread_create(&u, NULL, work, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
