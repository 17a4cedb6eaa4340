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
static struct entry *find(int i) { return &cache[i]; }
static void *work(void *arg) {
  struct entry *p = find(choice() % 10);
  struct entry *q = p;
  pthread_mutex_lock(&p->m);
  q->refs++;  // NORACE
  pthread_mutex_unlock(&q->m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  struct entry *p = find(choice() % 10);
  pthread_mutex_lock(&p->m);
  p->refs++;  // NORACE
  pthread_mutex_unlock(&p->m);
  pthread_join(t, NULL);
  return 0;
}
