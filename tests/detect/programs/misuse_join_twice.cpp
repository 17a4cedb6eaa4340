#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

static void* One(void*) { return nullptr; }

int main() {
  pthread_t one;
  pthread_create(&one, nullptr, One, nullptr);
  pthread_join(one, nullptr);
#ifdef BUG
  pthread_join(one, nullptr);
#endif
}
