#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static char name[16], other[16];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  strcpy(name, "abc");  // RACE
  pthread_mutex_lock(&m);
  memset(other, 0, sizeof other);  // NORACE
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  char c = name[2];  // RACE
  pthread_mutex_lock(&m);
  memcpy(other, "abc", 3);  // NORACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return c;
}
