#include <pthread.h>

#include "parts.h"
static void* run(void* p) { return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  pthread_join(t, 0);
  return cached_value(1) == 6 ? 0 : 1;
}
