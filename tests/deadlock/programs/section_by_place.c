// A function in a section that other code finds by its place (a script of the linker says where): it may be called.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static void opposite(void) {
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
}
static void (*hook)(void) __attribute__((section(".hooks"), used)) = opposite;
void *one(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
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
