// One access of the pair is not atomic.
#include <pthread.h>
#include <stdatomic.h>
atomic_int ready;
int plain;
void *one(void *arg) {
  atomic_store(&ready, 1);
  atomic_fetch_add((_Atomic int *)&plain, 1);  //@ A
  return arg;
}
void *two(void *arg) {
  int seen = atomic_load(&ready);
#ifdef FIXED
  seen += atomic_load((_Atomic int *)&plain);
#else
  seen += plain;  //@ B
#endif
  return seen ? arg : 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
// expect: plain A-B
