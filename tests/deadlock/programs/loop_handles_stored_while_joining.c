// The join loop itself writes over the handle of its next turn.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_t workers[5], spare;
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
void *first(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *idle(void *arg) { return arg; }
int main(int argc, char **argv) {
  pthread_create(&spare, 0, idle, 0);
  for (int i = 0; i < 4; i++) pthread_create(&workers[i], 0, first, 0);
  for (int i = 0; i < 4; i++) {
    pthread_join(workers[i], 0);
    if (argc > 1 && i == 0) workers[i + 1] = spare;
  }
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
