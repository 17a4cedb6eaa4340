#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int limit;
static int table[4];
static void *work(void *arg) {
  int s = 0;
  for (int i = 0; i < limit; i++) s += table[i];  // NORACE
  return (void *)(long)s;
}
int main(void) {
  pthread_t t, u;
  limit = 4;  // NORACE
  for (int i = 0; i < 4; i++) table[i] = i;  // NORACE
  pthread_create(&t, NULL, work, NULL);
  pthread_create(&u, NULL, work, NULL);
  int k = table[2];  // NORACE
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return k;
}
