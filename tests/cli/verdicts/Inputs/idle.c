// A worker waits for work, main for the worker: an idle daemon. A signal handler ends the program when its timer fires.
// HANG: nobody sends the signal. DEADLOCK: there is no handler and no timer either: nothing can ever end it.
// CYCLE: there is a handler, but two threads wait for each other's locks, which no handler helps.
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_came = PTHREAD_COND_INITIALIZER;
static int work;

static void Stop(int number) {
  (void)number;
  _exit(0);
}

static void* Worker(void* unused) {
  pthread_mutex_lock(&m);
  while (!work) pthread_cond_wait(&work_came, &m);
  pthread_mutex_unlock(&m);
  return unused;
}

#ifdef CYCLE
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void* Other(void* unused) {
  pthread_mutex_lock(&n);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&m);
  return unused;
}
#endif

int main(void) {
#ifndef DEADLOCK
  signal(SIGALRM, Stop);
#endif
  pthread_t thread;
#ifdef CYCLE
  pthread_barrier_init(&both, 0, 2);
  pthread_create(&thread, 0, Other, 0);
  pthread_mutex_lock(&m);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&n);
#endif
#if !defined DEADLOCK && !defined HANG && !defined CYCLE
  struct itimerval soon = {{0, 0}, {0, 100000}};
  setitimer(ITIMER_REAL, &soon, 0);
#endif
  pthread_create(&thread, 0, Worker, 0);
  pthread_join(thread, 0);
  return 0;
}
