#include <pthread.h>
static int x;
static pthread_t first;
static void *one(void *arg) {
  x++;  // RACE
  return arg;
}
static void *two(void *arg) {
  pthread_join(first, NULL);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&first, NULL, one, NULL);
  pthread_create(&t, NULL, two, NULL);
  pthread_cancel(t);
  pthread_join(t, NULL);
  x++;  // RACE
  return 0;
}
