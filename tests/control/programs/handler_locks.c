// A pipe with one byte is a lock, taken with all signals blocked, and by the handler, which has to wait for it.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int fd[2]; static volatile int handled;
static void lock(void) { char c; int r; do r = read(fd[0], &c, 1); while (r < 0 && errno == EINTR); }
static void unlock(void) { char c = 42; int r; do r = write(fd[1], &c, 1); while (r < 0 && errno == EINTR); }
static void on(int s) { int e = errno; lock(); handled++; unlock(); errno = e; }
static void *w(void *x) {
  for (int i = 0; i < 100; i++) { sigset_t all, old; sigfillset(&all); pthread_sigmask(SIG_SETMASK, &all, &old); lock(); unlock(); pthread_sigmask(SIG_SETMASK, &old, 0); }
  return 0;
}
int main(int argc, char **argv) {
  int kills = argc > 1 ? atoi(argv[1]) : 100;
  if (pipe(fd)) return 1; unlock();
  struct sigaction a = {.sa_handler = on}; sigfillset(&a.sa_mask); sigaction(SIGUSR1, &a, 0);
  pthread_t t[4]; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, w, 0);
  for (int i = 0; i < kills; i++) kill(getpid(), SIGUSR1);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  puts("end"); return 0;
}
