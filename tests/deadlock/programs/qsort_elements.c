// Sorting moves the function that takes a lock to another element.
// expect: cycle A-B C-D
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static void take_a(void) {
  pthread_mutex_lock(&a_lock);  //@ D
  pthread_mutex_unlock(&a_lock);
}
struct entry {
  long key;
  void (*run)(void);
};
static struct entry table[2];
static int compare(const void *x, const void *y) { return ((struct entry *)x)->key < ((struct entry *)y)->key; }
static void *one(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
static void *two(void *arg) {
  table[0].run = take_a;
  qsort(table, 2, sizeof table[0], compare);
  pthread_mutex_lock(&b_lock);  //@ C
  table[1].run();
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
