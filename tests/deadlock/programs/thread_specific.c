// A lock reached through a thread-specific value.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t a_lock, b_lock;
pthread_key_t key;
int x;
void *one(void *arg) {
  pthread_setspecific(key, &b_lock);
  pthread_mutex_lock(&a_lock);                   //@ A
  pthread_mutex_lock(pthread_getspecific(key));  //@ B
  x++;
  pthread_mutex_unlock(pthread_getspecific(key));
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  x++;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_key_create(&key, 0);
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
