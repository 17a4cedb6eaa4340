// A reader that wants to become a writer waits for itself.
// expect: self A-B
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main() {
  pthread_rwlock_rdlock(&l);  //@ A
  pthread_rwlock_wrlock(&l);  //@ B
  pthread_rwlock_unlock(&l);
}
