// The fixed twin of section_by_place.c: the function that may be called takes the locks in the same order.
// expect: none
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static void same(void) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
}
static void (*hook)(void) __attribute__((section(".hooks"), used)) = same;
void *one(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
int main() {
  pthread_t a;
  pthread_create(&a, 0, one, 0);
  pthread_join(a, 0);
  return 0;
}
