#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
struct node { int datum; struct node *next; };
static struct node *slots[10];
static pthread_mutex_t locks[10];
extern int choice(void);
static void *work(void *arg) {
  int i = choice() % 10;
  struct node *n = malloc(sizeof *n);
  n->datum = 1;  // NORACE
  pthread_mutex_lock(&locks[i]);
  n->next = slots[i];  // NORACE
  slots[i] = n;  // NORACE
  pthread_mutex_unlock(&locks[i]);
  return arg;
}
int main(void) {
  pthread_t t, u;
  for (int i = 0; i < 10; i++) pthread_mutex_init(&locks[i], NULL);
  pthread_create(&t, NULL, work, NULL);
  pthread_create(&u, NULL, work, NULL);
  for (int j = 0; j < 10; j++) {
    pthread_mutex_lock(&locks[j]);
    for (struct node *n = slots[j]; n != NULL; n = n->next)  // NORACE
      n->datum++;  // NORACE
    pthread_mutex_unlock(&locks[j]);
  }
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
