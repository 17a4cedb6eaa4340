// What comes from outside by syscall() with a number: randomness, the time, ids, bytes of a pipe; and calls that name the
// thread by its number, which is another one in a replay.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
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
  struct {
    unsigned size, policy;
    unsigned long flags;
    int nice;
    unsigned rest[16];
  } how = {0};
  long self = syscall(SYS_gettid);
  struct sched_param priority = {-1};
  long known = syscall(SYS_sched_getattr, self, &how, sizeof how, 0);
  printf("%ld %u %d\n", known, how.policy, how.nice);
  printf("%ld ", syscall(SYS_getpriority, 0, self));
  printf("%d ", sched_getscheduler((int)self));
  printf("%d ", sched_getparam((int)self, &priority));
  printf("%d\n", priority.sched_priority);
  if (known != 0 || priority.sched_priority != 0) return 1;
  long ring = syscall(SYS_io_uring_setup, 4, 0);
  printf("%d %d %ld %ld %ld %ld %c %s\n", seed, rounds, (long)now.tv_sec, now.tv_nsec, syscall(SYS_getpid), syscall(SYS_gettid), c,
         ring < 0 ? "no ring" : "ring");
  return 0;
}
