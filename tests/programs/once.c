/* pthread_once from several threads, one inside another. */
#include <pthread.h>

#include "check.h"

static pthread_once_t outer = PTHREAD_ONCE_INIT;
static pthread_once_t inner = PTHREAD_ONCE_INIT;
static int runs;

static void Inner(void) { ++runs; }
static void Outer(void) {
  ++runs;
  pthread_once(&inner, Inner);
}

static void* Use(void* argument) {
  (void)argument;
  pthread_once(&outer, Outer);
  pthread_once(&inner, Inner);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, Use, NULL);
  pthread_create(&b, NULL, Use, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  Use(NULL);
  printf("%d\n", runs);
  return 0;
}
