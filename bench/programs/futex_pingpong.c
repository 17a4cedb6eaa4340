/* A bare hand-over between two threads through futexes: nanoseconds each. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int turn[2];
static long rounds;

static void Wait(atomic_int* word) {
  while (atomic_load(word) == 0) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  atomic_store(word, 0);
}
static void Wake(atomic_int* word) {
  atomic_store(word, 1);
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void* Other(void* argument) {
  for (long i = 0; i < rounds; ++i) {
    Wait(&turn[1]);
    Wake(&turn[0]);
  }
  return argument;
}

int main(int count, char** arguments) {
  struct timespec start;
  struct timespec end;
  pthread_t thread;
  rounds = count > 1 ? atol(arguments[1]) : 100000;
  pthread_create(&thread, NULL, Other, NULL);
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (long i = 0; i < rounds; ++i) {
    Wake(&turn[1]);
    Wait(&turn[0]);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  pthread_join(thread, NULL);
  double spent = (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
  printf("%.1f\n", spent / (2.0 * (double)rounds));
  return 0;
}
