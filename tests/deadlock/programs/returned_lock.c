// A function gives the lock, by a name.
// expect: cycle A-B C-D
#include <pthread.h>
#include <string.h>
pthread_mutex_t users = PTHREAD_MUTEX_INITIALIZER, groups = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *lock_of(const char *name) { return strcmp(name, "users") == 0 ? &users : &groups; }
void *one(void *arg) {
  pthread_mutex_lock(&users);            //@ A
  pthread_mutex_lock(lock_of("groups"));  //@ B
  pthread_mutex_unlock(lock_of("groups"));
  pthread_mutex_unlock(&users);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&groups);  //@ C
  pthread_mutex_lock(&users);   //@ D
  pthread_mutex_unlock(&users);
  pthread_mutex_unlock(&groups);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
