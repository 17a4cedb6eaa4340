#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x, y;
static void *work(void *arg) {
  x++;  // RACE
  return arg;
}
int main(void) {
  pthread_t t[5];
  y++;
  for (int i = 0; i < 5; i++) pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 5; i++) pthread_join(t[i], NULL);
  x++;  // NORACE
  return 0;
}
