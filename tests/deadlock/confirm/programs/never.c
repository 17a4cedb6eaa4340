// The write is behind a test that never succeeds in a run without arguments.
#include <pthread.h>
#include <stdlib.h>
int value;
static int armed;
void *worker(void *arg) {
  if (armed > 3)
    value = 1;
  return arg;
}
int main(int argc, char **argv) {
  armed = argc;
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  int seen = value;
  pthread_join(t, 0);
  return seen;
}
