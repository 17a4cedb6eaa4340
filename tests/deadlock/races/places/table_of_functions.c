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
static void with(int *v) {
  pthread_mutex_lock(&m);
  (*v)++;  // NORACE
  pthread_mutex_unlock(&m);
}
static void without(int *v) {
  (*v)++;  // RACE
}
static struct { void (*go)(int *); int *v; } table[2] = {{with, &x}, {without, &y}};
static void *work(void *arg) {
  table[0].go(table[0].v);
  table[1].go(table[1].v);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  with(&x);
  y++;  // RACE
  pthread_join(t, NULL);
  return 0;
}
