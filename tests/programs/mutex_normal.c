/* A plain mutex between two threads: static and with an init call. */
#include <pthread.h>

#include "check.h"

static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t made;
static int count;

static void* Add(void* argument) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&fixed);
    count += *(int*)argument;
    pthread_mutex_unlock(&fixed);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int one = 1, ten = 10;
  CHECK(pthread_mutex_init(&made, NULL) == 0);
  CHECK(pthread_mutex_lock(&made) == 0);
  CHECK(pthread_mutex_unlock(&made) == 0);
  CHECK(pthread_mutex_destroy(&made) == 0);
  CHECK(pthread_create(&a, NULL, Add, &one) == 0);
  CHECK(pthread_create(&b, NULL, Add, &ten) == 0);
  CHECK(pthread_join(a, NULL) == 0);
  CHECK(pthread_join(b, NULL) == 0);
  printf("%d\n", count);
  return 0;
}
