// A second loop writes over the handles of the first: only the second one's threads are joined.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void *first(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *second(void *arg) {
  x++;
  return 0;
}
int main() {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, first, 0);
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, second, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
