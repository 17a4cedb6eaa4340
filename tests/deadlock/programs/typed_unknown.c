// A lock whose object is not known (a library's) stands for those of its type, not for all.
// expect: none
#include <pthread.h>
pthread_mutex_t *their_mutex(void);
pthread_rwlock_t ours = PTHREAD_RWLOCK_INITIALIZER;
int x;
void *one(void *arg) {
  pthread_rwlock_wrlock(&ours);
  pthread_mutex_t *theirs = their_mutex();
  pthread_mutex_lock(theirs);
  x++;
  pthread_mutex_unlock(theirs);
  pthread_rwlock_unlock(&ours);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, one, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
