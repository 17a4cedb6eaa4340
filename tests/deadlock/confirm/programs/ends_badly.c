// With an argument it crashes or never ends, before the lock orders matter.
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
volatile int go_on = 1;
int *volatile nowhere;
void *one(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return arg;
}
int main(int argc, char **argv) {
  pthread_t t;
  if (argc > 1 && argv[1][0] == 'c') *nowhere = 1;
  while (argc > 1 && argv[1][0] == 'h' && go_on) {
  }
  pthread_create(&t, 0, one, 0);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  pthread_join(t, 0);
  return 0;
}
