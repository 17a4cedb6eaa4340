// A loop that counts, and takes a lock in each turn, is no wait.
// proof: yes
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds = 8, sum;
static void* first(void* x) {
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&lock);
    sum += i;
    pthread_mutex_unlock(&lock);
  }
  return x;
}
static void* second(void* x) { return first(x); }
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
// expect: none
