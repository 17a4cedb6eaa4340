/* Spin locks. */
#include <errno.h>
#include <pthread.h>

#include "check.h"

static pthread_spinlock_t lock;
static int count;

static void* Add(void* argument) {
  (void)argument;
  for (int i = 0; i < 100; ++i) {
    CHECK(pthread_spin_lock(&lock) == 0);
    ++count;
    CHECK(pthread_spin_unlock(&lock) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  CHECK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
  CHECK(pthread_spin_trylock(&lock) == 0);
  CHECK(pthread_spin_trylock(&lock) == EBUSY);
  CHECK(pthread_spin_unlock(&lock) == 0);
  pthread_create(&a, NULL, Add, NULL);
  pthread_create(&b, NULL, Add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  CHECK(pthread_spin_destroy(&lock) == 0);
  printf("%d\n", count);
  return 0;
}
