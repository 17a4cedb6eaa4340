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
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  timespec past{};
#ifndef BUG
  pthread_mutex_lock(&a);
#endif
  pthread_cond_timedwait(&cond, &a, &past);
#ifndef BUG
  pthread_mutex_unlock(&a);
#endif
}
