// Figure 5.17 of "Predicting Errors in Concurrent Systems": N protected increments in each thread hide a race that
// needs one order of 2N sections.
#include <pthread.h>
#include <stdlib.h>

int x, y, n;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void* Worker(void*) {
  for (int i = 0; i < n; i++) {
    pthread_mutex_lock(&m);
    y++;
    pthread_mutex_unlock(&m);
  }
  x++;
  return nullptr;
}

int main(int, char** arguments) {
  n = atoi(arguments[1]);
  pthread_t worker;
  pthread_create(&worker, nullptr, Worker, nullptr);
  x++;
  for (int i = 0; i < n; i++) {
    pthread_mutex_lock(&m);
    y++;
    pthread_mutex_unlock(&m);
  }
  pthread_join(worker, nullptr);
}
