// Called through a constant table.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
static void take_a(void) {
  pthread_mutex_lock(&a_lock);  //@ D
  x++;
  pthread_mutex_unlock(&a_lock);
}
static void take_b(void) {
  pthread_mutex_lock(&b_lock);  //@ B
  x++;
  pthread_mutex_unlock(&b_lock);
}
static void (*const table[])(void) = {take_a, take_b};
void *one(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  table[1]();
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b_lock);  //@ C
  table[0]();
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
