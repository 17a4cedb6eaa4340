// A library whose lock is in the caller's object.
// expect: cycle A-B C-D
#include <pthread.h>
struct queue { int n; pthread_mutex_t lock; };
static pthread_mutex_t all;
void put(struct queue *q, int n) {
  pthread_mutex_lock(&q->lock);  //@ A
  pthread_mutex_lock(&all);      //@ B
  q->n += n;
  pthread_mutex_unlock(&all);
  pthread_mutex_unlock(&q->lock);
}
int get(struct queue *queue) {
  pthread_mutex_lock(&all);          //@ C
  pthread_mutex_lock(&queue->lock);  //@ D
  int n = queue->n;
  pthread_mutex_unlock(&queue->lock);
  pthread_mutex_unlock(&all);
  return n;
}
