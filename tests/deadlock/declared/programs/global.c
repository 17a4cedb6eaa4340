// Variables and functions with a global lock.
#include "attributes.h"
struct CAPABILITY lock {
  pthread_mutex_t m;
};
struct lock mu = {PTHREAD_MUTEX_INITIALIZER}, other = {PTHREAD_MUTEX_INITIALIZER};
int total GUARDED_BY(mu);
int plain;
static void count(void) REQUIRES(mu);
static void count(void) { total++; }
static void *work(void *arg) {
  pthread_mutex_lock(&mu.m);
  total++;
  count();
  pthread_mutex_unlock(&mu.m);
#ifndef FIXED
  pthread_mutex_lock(&other.m);
  total++;  // WRONG total
  pthread_mutex_unlock(&other.m);
  count();  // WRONG count
#endif
  return arg;
}
int main(void) {
  total = 1;  // nobody else runs
  pthread_t one, two;
  pthread_create(&one, 0, work, 0);
  pthread_create(&two, 0, work, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return plain;
}
