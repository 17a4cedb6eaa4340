#include <pthread.h>
static int both, value;
static pthread_barrier_t b;
static void *one(void *arg) {
  both++;  // RACE
  value = 1;  // NORACE
  pthread_barrier_wait(&b);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&b, NULL, 2);
  pthread_create(&t, NULL, one, NULL);
  both++;  // RACE
  pthread_barrier_wait(&b);
  value++;  // NORACE
  pthread_join(t, NULL);
  return 0;
}
