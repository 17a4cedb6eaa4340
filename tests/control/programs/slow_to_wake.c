// A thread that has the turn and does not wake for it is passed over, and takes part again when it wakes. The test stops
// the first thread, which prints its number, while it waits for its turn.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int stop;
static atomic_int first_number;

static void* first(void* argument) {
  atomic_store(&first_number, gettid());
  while (!atomic_load(&stop)) {
  }
  return argument;
}

static void* second(void* argument) {
  while (!atomic_load(&stop)) {
  }
  return argument;
}

int main(void) {
  char byte;
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  while (atomic_load(&first_number) == 0) {
  }
  printf("%d\n", atomic_load(&first_number));
  fflush(stdout);
  if (read(STDIN_FILENO, &byte, 1) != 1) return 1;
  atomic_store(&stop, 1);
  pthread_join(threads[1], NULL);
  puts("others went on");
  fflush(stdout);
  pthread_join(threads[0], NULL);
  puts("over");
  return 0;
}
