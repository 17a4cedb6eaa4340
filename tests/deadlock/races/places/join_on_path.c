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
  x++;  // RACE
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  if (choice()) pthread_join(t, NULL);
  x++;  // RACE
  return 0;
}
