// Two threads wait for each other while a third one, and main with it, never end.
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, idle = PTHREAD_MUTEX_INITIALIZER;
int done;
void *one(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return arg;
}
void *two(void *arg) {
#ifdef FIXED
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
#else
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
#endif
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return arg;
}
void *polls(void *arg) {
  for (int ended = 0; !ended;) {
    pthread_mutex_lock(&idle);
    ended = done;
    pthread_mutex_unlock(&idle);
  }
  return arg;
}
int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, polls, 0);
  pthread_create(&t[1], 0, one, 0);
  pthread_create(&t[2], 0, two, 0);
  pthread_join(t[1], 0);
  pthread_join(t[2], 0);
  pthread_mutex_lock(&idle);
  done = 1;
  pthread_mutex_unlock(&idle);
  pthread_join(t[0], 0);
  return 0;
}
