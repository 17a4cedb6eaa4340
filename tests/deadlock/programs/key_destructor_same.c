// A destructor of thread-specific values takes the locks in the same order.
// expect: none
#include <pthread.h>
#include <stdlib.h>
struct pair { pthread_mutex_t one, two; };
struct pair p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_key_t key;
static void leave(void *value) {
  struct pair *mine = value;
  pthread_mutex_lock(&mine->one);
  pthread_mutex_lock(&mine->two);
  pthread_mutex_unlock(&mine->two);
  pthread_mutex_unlock(&mine->one);
}
static void *t(void *x) {
  pthread_setspecific(key, &p);
  return x;
}
int main(void) {
  pthread_t id;
  pthread_key_create(&key, leave);
  pthread_create(&id, 0, t, 0);
  pthread_mutex_lock(&p.one);
  pthread_mutex_lock(&p.two);
  pthread_mutex_unlock(&p.one);
  pthread_mutex_unlock(&p.two);
  pthread_join(id, 0);
}
