#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct node { int datum; struct node *next; };
static struct node *a, *b;
static pthread_mutex_t am = PTHREAD_MUTEX_INITIALIZER, bm = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  struct node *n = malloc(sizeof *n);
  n->datum = 1;
  pthread_mutex_lock(&am);
  n->next = a;
  a = n;
  pthread_mutex_unlock(&am);
  pthread_mutex_lock(&bm);
  for (struct node *k = b; k != NULL; k = k->next) k->datum++;  // RACE
  pthread_mutex_unlock(&bm);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&am);
  for (struct node *n = a; n != NULL; n = n->next) n->datum++;  // RACE
  b = a;
  pthread_mutex_unlock(&am);
  pthread_join(t, NULL);
  return 0;
}
