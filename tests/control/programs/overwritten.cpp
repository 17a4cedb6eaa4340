// Two threads add to a counter under a lock, and a third one overwrites it: the assertion at the end fails under every
// schedule. Who spoiled it is found by going backwards.
#include <pthread.h>

#include <cassert>
#include <cstdio>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter = 0;

static void* Add(void*) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    counter += 1;
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}

static void* Spoil(void*) {
  pthread_mutex_lock(&lock);
  counter = -100;
  pthread_mutex_unlock(&lock);
  return nullptr;
}

int main() {
  pthread_t threads[3];
  pthread_create(&threads[0], nullptr, Add, nullptr);
  pthread_create(&threads[1], nullptr, Add, nullptr);
  pthread_create(&threads[2], nullptr, Spoil, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  printf("counter %d\n", counter);
  assert(counter == 6);
  return 0;
}
