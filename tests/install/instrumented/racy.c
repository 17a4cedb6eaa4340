#include <pthread.h>

static int shared;

static void* Work(void* argument) {
  shared++;
  return argument;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, Work, 0);
  pthread_create(&b, 0, Work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
