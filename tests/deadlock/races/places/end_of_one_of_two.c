#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int choice(void);
static int x;
static void *one(void *arg) {
  x++;  // RACE
  return arg;
}
static void *two(void *arg) { return arg; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, one, NULL);
  pthread_create(&u, NULL, two, NULL);
  pthread_join(choice() ? t : u, NULL);
  x++;  // RACE
  return 0;
}
