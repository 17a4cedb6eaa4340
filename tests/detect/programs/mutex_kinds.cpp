// Recursive, error-checking, priority-inheriting mutexes; spin locks; timed locks.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
pthread_mutex_t r, e, p;
pthread_spinlock_t s;
int a, b, c, d;
static void* Work(void*) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&r);
    pthread_mutex_lock(&r);
    ++a;
    pthread_mutex_unlock(&r);
#ifdef BUG
    pthread_mutex_unlock(&r);
    ++a;
#else
    ++a;
    pthread_mutex_unlock(&r);
#endif
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    if (pthread_mutex_timedlock(&e, &until) != 0) abort();
    ++b;
    pthread_mutex_unlock(&e);
    pthread_mutex_lock(&p);
    ++c;
    pthread_mutex_unlock(&p);
    pthread_spin_lock(&s);
    ++d;
    pthread_spin_unlock(&s);
  }
  return nullptr;
}
int main() {
  pthread_mutexattr_t at;
  pthread_mutexattr_init(&at);
  pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&r, &at);
  pthread_mutexattr_settype(&at, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&e, &at);
  pthread_mutexattr_settype(&at, PTHREAD_MUTEX_NORMAL);
  pthread_mutexattr_setprotocol(&at, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&p, &at);
  pthread_spin_init(&s, 0);
  pthread_t x, y;
  pthread_create(&x, nullptr, Work, nullptr);
  pthread_create(&y, nullptr, Work, nullptr);
  pthread_join(x, nullptr);
  pthread_join(y, nullptr);
  pthread_mutex_destroy(&r);
  pthread_mutex_destroy(&e);
  pthread_mutex_destroy(&p);
  pthread_spin_destroy(&s);
}
