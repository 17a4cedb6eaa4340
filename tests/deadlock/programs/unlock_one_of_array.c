// An unlock by variable index releases one of two elements that are held, not both.
// expect: cycle A-B C-D
// expect: cycle E-B C-D
// expect: leak A D
// expect: leak E D
#include <pthread.h>
pthread_mutex_t locks[8], other;
int x, pick;
void *one(void *arg) {
  int i = pick & 7;
  if (x > 100) {
    pthread_mutex_lock(&locks[i]);  //@ E
  } else {
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_lock(&locks[1]);  //@ A
    x++;
  }
  int j = pick & 6;
  pthread_mutex_unlock(&locks[j]);
  pthread_mutex_lock(&other);  //@ B
  x++;
  pthread_mutex_unlock(&other);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&other);  //@ C
  pthread_mutex_lock(&locks[1]);  //@ D
  x++;
  pthread_mutex_unlock(&locks[1]);
  pthread_mutex_unlock(&other);
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
