// why: who takes a node out of the queue has it alone
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct job { int v; struct job *next; };
static struct job *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void put(int v) {
  struct job *j = malloc(sizeof *j);
  j->v = v;  // NORACE
  pthread_mutex_lock(&m);
  j->next = head;  // NORACE
  head = j;  // NORACE
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}
static struct job *get(void) {
  pthread_mutex_lock(&m);
  while (head == NULL) pthread_cond_wait(&c, &m);  // NORACE
  struct job *j = head;  // NORACE
  head = j->next;  // NORACE
  pthread_mutex_unlock(&m);
  return j;
}
static void *work(void *arg) {
  for (;;) {
    struct job *j = get();
    if (j->v < 0) return arg;  // NORACE
    j->v++;  // NORACE
    free(j);  // NORACE
  }
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, work, NULL);
  pthread_create(&u, NULL, work, NULL);
  for (int i = 0; i < 10; i++) put(i);
  put(-1);
  put(-1);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
