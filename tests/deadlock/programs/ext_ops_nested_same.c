// Functions two structures deep in memory that external code gets, on the heap.
// expect: none
#include <pthread.h>
#include <stdlib.h>
struct ops { void (*g)(void); };
struct server { int port; struct ops *ops; };
extern void run_server(struct server *);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void g(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
}
static void *t(void *x) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return x;
}
int main(void) {
  struct server *s = malloc(sizeof *s);
  s->ops = malloc(sizeof *s->ops);
  s->ops->g = g;
  pthread_t id;
  pthread_create(&id, 0, t, 0);
  run_server(s);
  pthread_join(id, 0);
}
