// The same, but each is joined before the next starts.
// expect: none
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void *work(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_lock(&a_lock);
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main(int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
  }
}
