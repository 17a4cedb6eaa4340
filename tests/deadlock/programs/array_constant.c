// Elements by constant index are locks of their own.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t locks[4];
int x;
void *one(void *arg) {
  pthread_mutex_lock(&locks[0]);  //@ A
  pthread_mutex_lock(&locks[1]);  //@ B
  x++;
  pthread_mutex_unlock(&locks[1]);
  pthread_mutex_unlock(&locks[0]);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&locks[1]);  //@ C
  pthread_mutex_lock(&locks[0]);  //@ D
  x++;
  pthread_mutex_unlock(&locks[0]);
  pthread_mutex_unlock(&locks[1]);
  return 0;
}
int main() {
  for (int i = 0; i < 4; i++) pthread_mutex_init(&locks[i], 0);
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
