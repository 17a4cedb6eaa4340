// Two threads; the loops end, but only the library without instrumentation knows why.
#include <pthread.h>
#include <sched.h>

int Patience(void);
void WaitHere(const int* flag);

static int flag;

static void* Other(void* unused) {
  while (!Patience()) sched_yield();
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, Other, 0);
  WaitHere(&flag);
  pthread_join(other, 0);
  return 0;
}
