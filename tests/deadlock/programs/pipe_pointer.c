// An address goes through a pipe.
// expect: cycle A-B C-D
#include <pthread.h>
#include <unistd.h>
struct work { pthread_mutex_t one, two; };
struct work w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int ends[2];
static void *t(void *x) {
  struct work *mine;
  if (read(ends[0], &mine, sizeof mine) != sizeof mine) return 0;
  pthread_mutex_lock(&mine->one);  //@ A
  pthread_mutex_lock(&mine->two);  //@ B
  pthread_mutex_unlock(&mine->two);
  pthread_mutex_unlock(&mine->one);
  return x;
}
int main(void) {
  struct work *mine = &w;
  pthread_t id;
  if (pipe(ends) != 0) return 1;
  pthread_create(&id, 0, t, 0);
  if (write(ends[1], &mine, sizeof mine) < 0) return 1;
  pthread_mutex_lock(&w.two);  //@ C
  pthread_mutex_lock(&w.one);  //@ D
  pthread_mutex_unlock(&w.one);
  pthread_mutex_unlock(&w.two);
  pthread_join(id, 0);
}
