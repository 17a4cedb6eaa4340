// why: two pointers are the same behind a comparison
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int choice(void);
struct entry { pthread_mutex_t m; int refs; } cache[10];
static void *work(void *arg) {
  struct entry *p = &cache[choice() % 10], *q = &cache[choice() % 10];
  pthread_mutex_lock(&p->m);
  if (p == q) q->refs++;  // NORACE
  pthread_mutex_unlock(&p->m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  struct entry *p = &cache[choice() % 10];
  pthread_mutex_lock(&p->m);
  p->refs++;  // NORACE
  pthread_mutex_unlock(&p->m);
  pthread_join(t, NULL);
  return 0;
}
