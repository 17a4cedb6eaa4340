// More than 64 locks held at once is fine; taking two of them the other way round is not.
#include <pthread.h>

#include "steps.h"

pthread_mutex_t locks[100];

static void* One(void*) {
  for (auto& lock : locks) pthread_mutex_lock(&lock);
  for (auto& lock : locks) pthread_mutex_unlock(&lock);
  NextStep();
  return nullptr;
}
static void* Two(void*) {
  WaitStep(1);
#ifdef BUG
  pthread_mutex_lock(&locks[90]);
  pthread_mutex_lock(&locks[10]);
#else
  pthread_mutex_lock(&locks[10]);
  pthread_mutex_lock(&locks[90]);
#endif
  pthread_mutex_unlock(&locks[90]);
  pthread_mutex_unlock(&locks[10]);
  return nullptr;
}

int main() {
  for (auto& lock : locks) pthread_mutex_init(&lock, nullptr);
  pthread_t one;
  pthread_t two;
  pthread_create(&one, nullptr, One, nullptr);
  pthread_create(&two, nullptr, Two, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
}
