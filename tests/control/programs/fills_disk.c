// Reads far more than it prints: a recording of it is large. What it reads does not repeat, so it cannot be made small.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { kRounds = 200, kBytes = 4000 };
static int ends[2];

static void* feed(void* argument) {
  char bytes[kBytes];
  int random = open("/dev/urandom", O_RDONLY);
  for (int i = 0; i < kRounds; ++i) {
    if (read(random, bytes, sizeof bytes) < 0 || write(ends[1], bytes, sizeof bytes) < 0) return NULL;
  }
  close(random);
  return argument;
}

int main(void) {
  pthread_t thread;
  char bytes[kBytes];
  long all = 0;
  if (pipe(ends) != 0) return 1;
  pthread_create(&thread, NULL, feed, NULL);
  while (all < (long)kRounds * kBytes) {
    long some = read(ends[0], bytes, sizeof bytes);
    if (some <= 0) return 2;
    all += some;
  }
  pthread_join(thread, NULL);
  printf("%ld\n", all);
  return 0;
}
