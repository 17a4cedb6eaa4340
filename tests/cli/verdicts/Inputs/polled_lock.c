// Two threads hand values to each other under a lock, each asking again and again whether it is its turn.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, full;

static void* Puts(void* unused) {
  for (int i = 0; i < 3;) {
    pthread_mutex_lock(&lock);
    if (!full) {
      value = i++;
      full = 1;
    }
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, Puts, 0);
  for (int i = 0; i < 3;) {
    pthread_mutex_lock(&lock);
    if (full) {
      if (value != i++) abort();
      full = 0;
    }
    pthread_mutex_unlock(&lock);
  }
  pthread_join(other, 0);
  return 0;
}
