// A lock of a table and locks of its objects, in opposite orders.
// expect: cycle A-B C-D
#include <pthread.h>
#include <stdlib.h>
struct item { pthread_mutex_t lock; struct item *next; int n; };
struct { pthread_mutex_t lock; struct item *items; } table;
void *scan(void *arg) {
  pthread_mutex_lock(&table.lock);  //@ A
  for (struct item *i = table.items; i; i = i->next) {
    pthread_mutex_lock(&i->lock);  //@ B
    i->n++;
    pthread_mutex_unlock(&i->lock);
  }
  pthread_mutex_unlock(&table.lock);
  return 0;
}
void *touch(void *arg) {
  struct item *i = arg;
  pthread_mutex_lock(&i->lock);     //@ C
  pthread_mutex_lock(&table.lock);  //@ D
  i->n++;
  pthread_mutex_unlock(&table.lock);
  pthread_mutex_unlock(&i->lock);
  return 0;
}
int main() {
  pthread_t a, b;
  for (int n = 0; n < 3; n++) {
    struct item *i = calloc(1, sizeof *i);
    pthread_mutex_init(&i->lock, 0);
    i->next = table.items;
    table.items = i;
  }
  pthread_create(&a, 0, scan, 0);
  pthread_create(&b, 0, touch, table.items);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
