#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
int seen;
static void OnSignal(int) {
  seen = 1;
#ifdef BUG
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
#endif
}
int main() {
  signal(SIGUSR1, OnSignal);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  raise(SIGUSR1);
}
