// The accesses of figure 2 of "Stream-based dynamic data race detection": one thread reads and writes x, then another
// reads y and x.
#include <pthread.h>

static int x;
static int y;

static void* first(void* unused) {
  if (x == 0) x = 1;
  return unused;
}

static void* second(void* unused) {
  if (y == 0 && x == 1) return NULL;
  return unused;
}

int main(void) {
  void* (*const start[])(void*) = {first, second};
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, start[i], NULL) != 0) return 2;
    pthread_join(thread, NULL);
  }
  return 0;
}
