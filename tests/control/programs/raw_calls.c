// What comes from outside by syscall() with a number: randomness, the time, ids, bytes of a pipe.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int rounds;
static unsigned char seed;
static void* work(void* x) {
  for (int i = 0; i < 5 + seed % 40; ++i) ++rounds;
  return x;
}

int main(void) {
  struct timespec now;
  int ends[2];
  char c = 0;
  if (syscall(SYS_getrandom, &seed, 1, 0) != 1 || syscall(SYS_clock_gettime, CLOCK_REALTIME, &now) != 0) return 1;
  pthread_t worker;
  pthread_create(&worker, 0, work, 0);
  pthread_join(worker, 0);
  if (pipe(ends) != 0 || syscall(SYS_write, ends[1], "x", 1) != 1 || syscall(SYS_read, ends[0], &c, 1) != 1) return 1;
  long ring = syscall(SYS_io_uring_setup, 4, 0);
  printf("%d %d %ld %ld %ld %ld %c %s\n", seed, rounds, (long)now.tv_sec, now.tv_nsec, syscall(SYS_getpid), syscall(SYS_gettid), c,
         ring < 0 ? "no ring" : "ring");
  return 0;
}
