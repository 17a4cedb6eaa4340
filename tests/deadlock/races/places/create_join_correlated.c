#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int choice(void);
int x;
static void *work(void *arg) {
  x++;  // NORACE
  return arg;
}
int main(void) {
  pthread_t t;
  int c = choice();
  if (c) pthread_create(&t, NULL, work, NULL);
  if (c) pthread_join(t, NULL);
  x++;  // NORACE
  return 0;
}
