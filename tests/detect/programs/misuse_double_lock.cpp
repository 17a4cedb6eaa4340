#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
int main() {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
#ifdef BUG
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
#else
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#endif
  pthread_mutex_t d;
  pthread_mutex_init(&d, &kind);
  pthread_mutex_lock(&d);
  if (pthread_mutex_lock(&d) == 0) pthread_mutex_unlock(&d);
  pthread_mutex_unlock(&d);
  pthread_mutex_destroy(&d);
}
