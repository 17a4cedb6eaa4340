// A lock made of a flag and a mutex: the loop's variable says on which way the flag was got.
// proof: no
#include <pthread.h>
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int taken[2];
static void take(int which) {
  int got = 0;
  while (!got) {
    pthread_mutex_lock(&guard);
    if (!taken[which]) {
      taken[which] = 1;
      got = 1;
    }
    pthread_mutex_unlock(&guard);
  }
}
static void* first(void* x) {
  take(0);
  take(1);
  return x;
}
static void* second(void* x) {
  take(1);
  take(0);
  return x;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
// expect: none
