// An order that is declared, and kept or not; nobody takes the locks the other way round, so there is no deadlock yet.
#include "attributes.h"
struct CAPABILITY lock {
  pthread_mutex_t m;
};
struct lock second = {PTHREAD_MUTEX_INITIALIZER};
struct lock first ACQUIRED_BEFORE(second) = {PTHREAD_MUTEX_INITIALIZER};
int total;
static void *work(void *arg) {
#ifdef FIXED
  pthread_mutex_lock(&first.m);
  pthread_mutex_lock(&second.m);
#else
  pthread_mutex_lock(&second.m);
  pthread_mutex_lock(&first.m);  // WRONG first
#endif
  total++;
  pthread_mutex_unlock(&first.m);
  pthread_mutex_unlock(&second.m);
  return arg;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, work, 0);
  pthread_create(&two, 0, work, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
