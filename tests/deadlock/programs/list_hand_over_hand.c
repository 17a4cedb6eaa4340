// Hand over hand along a list: the order is that of the list, which nothing in the code fixes.
// false alarm: class A-B because the list is never turned round, which is not visible in the types
#include <pthread.h>
struct node { pthread_mutex_t lock; struct node *next; int n; } *head;
#include <stdlib.h>
void *walk(void *arg) {
  struct node *p = head;
  pthread_mutex_lock(&p->lock);  //@ A
  while (p->next) {
    struct node *q = p->next;
    pthread_mutex_lock(&q->lock);  //@ B
    pthread_mutex_unlock(&p->lock);
    q->n++;
    p = q;
  }
  pthread_mutex_unlock(&p->lock);
  return 0;
}
int main() {
  for (int i = 0; i < 5; i++) {
    struct node *n = calloc(1, sizeof *n);
    pthread_mutex_init(&n->lock, 0);
    n->next = head;
    head = n;
  }
  pthread_t a, b;
  pthread_create(&a, 0, walk, 0);
  pthread_create(&b, 0, walk, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
