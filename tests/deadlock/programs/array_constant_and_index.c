// Two elements by constant index, while other code walks over all of them.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t locks[4], table;
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
void *all(void *arg) {
  pthread_mutex_lock(&table);
  for (int i = 0; i < 4; i++) {
    pthread_mutex_lock(&locks[i]);
    x++;
    pthread_mutex_unlock(&locks[i]);
  }
  pthread_mutex_unlock(&table);
  return 0;
}
int main() {
  for (int i = 0; i < 4; i++) pthread_mutex_init(&locks[i], 0);
  pthread_mutex_init(&table, 0);
  pthread_t a, b, c;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_create(&c, 0, all, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
}
