// Wrappers that end the program when a lock fails; the report of that takes a lock of its own, through the wrapper.
// expect: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER;
static void fatal(const char *s);
static void xlock(pthread_mutex_t *m) {
  if (pthread_mutex_lock(m) != 0) {
    fatal("lock");
    abort();
  }
}
static void xunlock(pthread_mutex_t *m) {
  if (pthread_mutex_unlock(m) != 0) {
    fatal("unlock");
    abort();
  }
}
static void fatal(const char *s) {
  xlock(&log_lock);
  fputs(s, stderr);
  xunlock(&log_lock);
}
static void *t(void *x) {
  xlock(&a);
  fatal("note");
  xunlock(&a);
  return x;
}
int main(void) {
  pthread_t i;
  pthread_create(&i, 0, t, 0);
  xlock(&a);
  xunlock(&a);
  pthread_join(i, 0);
}
