// Waits for a pipe that nobody writes to, with a limit; the clock moves on meanwhile, in virtual time too, and what the
// program does next depends on it.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static long Microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void* Wait(void* value) {
  int ends[2];
  if (pipe(ends) != 0) return NULL;
  struct pollfd wait = {ends[0], POLLIN, 0};
  long start = Microseconds();
  for (int i = 0; i < 3; ++i) {
    int ready = poll(&wait, 1, 5);
    long passed = Microseconds() - start;
    printf("%d ready after %ld\n", ready, passed);
    if (passed >= 10000) printf("late\n");
  }
  int many = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  epoll_ctl(many, EPOLL_CTL_ADD, ends[0], &event);
  int ready = epoll_wait(many, &event, 1, 5);
  printf("%d of epoll after %ld\n", ready, Microseconds() - start);
  return value;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Wait, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
