#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct queue { pthread_mutex_t m; int size; };
static struct queue in, out;
static void grow(struct queue *q) {
  pthread_mutex_lock(&q->m);
  q->size++;  // NORACE
  pthread_mutex_unlock(&q->m);
}
static void move(struct queue *from, struct queue *to) {
  pthread_mutex_lock(&from->m);
  from->size--;  // NORACE
  pthread_mutex_unlock(&from->m);
  pthread_mutex_lock(&to->m);
  to->size++;  // NORACE
  pthread_mutex_unlock(&to->m);
}
static void *work(void *arg) {
  grow(&in);
  move(&in, &out);
  return arg;
}
int main(void) {
  pthread_t t, u;
  pthread_mutex_init(&in.m, NULL);
  pthread_mutex_init(&out.m, NULL);
  pthread_create(&t, NULL, work, NULL);
  pthread_create(&u, NULL, work, NULL);
  grow(&out);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
