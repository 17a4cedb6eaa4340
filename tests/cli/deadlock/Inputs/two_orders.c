#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void *ab(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return arg;
}
static void *ba(void *arg) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return arg;
}
static void *cd(void *arg) {
  int spare;
  pthread_mutex_lock(&c);
  pthread_mutex_lock(&d);
  total += 1;
  pthread_mutex_unlock(&d);
  pthread_mutex_unlock(&c);
  return arg;
}
static void *dc(void *arg) {
  pthread_mutex_lock(&d);
  pthread_mutex_lock(&c);
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&d);
  return arg;
}
int main(void) {
  void *(*all[])(void *) = {ab, ba, cd, dc};
  pthread_t threads[4];
  pthread_create(&threads[0], 0, ab, 0);
  pthread_create(&threads[1], 0, ba, 0);
  pthread_create(&threads[2], 0, cd, 0);
  pthread_create(&threads[3], 0, dc, 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return all[0] == 0;
}
