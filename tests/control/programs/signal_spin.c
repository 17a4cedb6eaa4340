// A thread spins without visible operations until a handler has run: it must run there.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t rung;

static void on_alarm(int number) {
  (void)number;
  rung = 1;
}

static void* idle(void* argument) { return argument; }

int main(void) {
  pthread_t thread;
  struct itimerval once = {{0, 0}, {0, 1000}};
  pthread_create(&thread, NULL, idle, NULL);
  pthread_join(thread, NULL);
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &once, NULL);
  while (!rung) {
  }
  puts("rung");
  return 0;
}
