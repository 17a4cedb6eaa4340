// why: which element of the table a turn starts is not known
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int x, y;
static void *one(void *arg) { x++; return arg; }  // NORACE
static void *two(void *arg) { y++; return arg; }  // RACE
struct start { void *(*f)(void *); } starts[3] = {{one}, {two}, {two}};
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, starts[i].f, NULL);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  return 0;
}
