#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct { int a, b, c; } s, u;
union { int i; char c[4]; } v;
static void *work(void *arg) {
  s.a++;  // RACE
  s.b++;  // RACE
  v.c[1] = 2;  // RACE
  u.b = 1;  // RACE
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  s.c++;  // NORACE
  s.b++;  // RACE
  v.i = 1;  // RACE
  u = s;  // RACE
  pthread_join(t, NULL);
  return 0;
}
