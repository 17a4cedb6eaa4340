#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void safe(void) {
  pthread_mutex_lock(&m);
  x++;  // NORACE
  pthread_mutex_unlock(&m);
}
static void unsafe(void) {
  y++;  // RACE
}
static void (*hook)(void);
static void (*other)(void);
static void *work(void *arg) {
  hook();
  other();
  return arg;
}
int main(void) {
  pthread_t t;
  hook = safe;
  other = unsafe;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&m);
  x++;  // NORACE
  pthread_mutex_unlock(&m);
  y++;  // RACE
  pthread_join(t, NULL);
  return 0;
}
