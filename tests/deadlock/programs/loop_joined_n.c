// The same with a number of threads that is not known.
// expect: none
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void *first(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
int main(int argc, char **argv) {
  pthread_t t[100];
  int n = argc;
  for (int i = 0; i < n; i++) pthread_create(&t[i], 0, first, 0);
  for (int i = 0; i < n; i++) pthread_join(t[i], 0);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_lock(&a_lock);
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
