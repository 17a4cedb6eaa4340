#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int x, y;
static void *work(void *arg) {
  x++;  // RACE
  y++;  // NORACE
  return arg;
}
int main(void) {
  pthread_t t;
  y = 1;  // NORACE
  pthread_create(&t, NULL, work, NULL);
  pthread_detach(t);
  x++;  // RACE
  pthread_exit(NULL);
}
