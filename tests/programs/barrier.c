/* Three threads meet at a barrier four times; one of each round is the serial thread. */
#include <pthread.h>

#include "check.h"

static pthread_barrier_t barrier;
static int cells[3];

static void* Work(void* argument) {
  int mine = *(int*)argument;
  for (int turn = 0; turn < 2; ++turn) {
    cells[mine] += 1;
    int a = pthread_barrier_wait(&barrier);
    CHECK(a == 0 || a == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(cells[0] + cells[1] + cells[2] == 3 * (turn + 1));
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int numbers[3] = {0, 1, 2};
  CHECK(pthread_barrier_init(&barrier, NULL, 3) == 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Work, &numbers[i]);
  Work(&numbers[2]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  CHECK(pthread_barrier_destroy(&barrier) == 0);
  printf("%d %d %d\n", cells[0], cells[1], cells[2]);
  return 0;
}
