// The mutex checks for errors, so an unlock by another thread fails, and the failure is reported under the lock.
// expect: self A-B
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a;
static void note(const char *s) {
  pthread_mutex_lock(&log_lock);  //@ B
  fputs(s, stderr);
  pthread_mutex_unlock(&log_lock);
}
int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&a, &kind);
  pthread_mutex_lock(&log_lock);  //@ A
  if (pthread_mutex_unlock(&a) != 0) note("not mine");
  pthread_mutex_unlock(&log_lock);
}
