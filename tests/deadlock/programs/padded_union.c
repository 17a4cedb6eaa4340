// Mutexes in unions that fill a cache line.
// expect: cycle A-B C-D
#include <pthread.h>
union padded {
  pthread_mutex_t mutex;
  long line[8];
};
union padded first, second;
pthread_mutex_t decoy = PTHREAD_MUTEX_INITIALIZER;
int x;
pthread_mutex_t *choose(int n) { return n == 1 ? &first.mutex : &decoy; }
void *one(void *arg) {
  pthread_mutex_t *mine = choose(arg == 0);
  pthread_mutex_lock(mine);  //@ A
  pthread_mutex_lock(&second.mutex);  //@ B
  x++;
  pthread_mutex_unlock(&second.mutex);
  pthread_mutex_unlock(mine);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&second.mutex);  //@ C
  pthread_mutex_lock(&first.mutex);  //@ D
  x++;
  pthread_mutex_unlock(&first.mutex);
  pthread_mutex_unlock(&second.mutex);
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
