// Handlers that wait, take locks, jump out, run once, run on another stack; calls that they interrupt; children, timers
// and faults. Every line that is printed depends on when the handlers ran.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int pipe_in[2], pipe_wait[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int under_lock, alarms, timer_signals, once, ended;
static volatile sig_atomic_t stop;
static sigjmp_buf back;
static char other_stack[65536];
static volatile int on_other_stack;

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, NULL);
}

static void waits(int number) {  // for a byte that another thread writes
  char byte = 0;
  if (read(pipe_wait[0], &byte, 1) != 1) _exit(3);
  pthread_mutex_lock(&mutex);
  under_lock += byte + number;
  pthread_mutex_unlock(&mutex);
}
static void jumps(int number) { siglongjmp(back, number); }
static void counts_alarm(int number) {  // with a recorded call of its own, before that of the call that it interrupts
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  alarms += number == SIGALRM && now.tv_sec > 0;
}
static void counts_timer(int number) { timer_signals += number == SIGUSR2; }
static void runs_once(int number) { once += number; }
static void child_ended(int number) {
  int status = 0;
  while (waitpid(-1, &status, WNOHANG) > 0) ended += WEXITSTATUS(status);
  (void)number;
}
static void says_stop(int number) { stop = number; }
static void notes_stack(int number) {
  char here = (char)number;
  on_other_stack = &here >= other_stack && &here < other_stack + sizeof other_stack;
  siglongjmp(back, 1);
}

static void* feeds(void* unused) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&mutex);
    under_lock += 1000;
    pthread_mutex_unlock(&mutex);
    if (write(pipe_wait[1], "\1", 1) != 1) _exit(4);
  }
  return unused;
}
static void* looks(void* main_thread) {  // a flag that a handler of another thread sets
  struct timespec pause = {0, 2000000};
  nanosleep(&pause, NULL);
  pthread_kill(*(pthread_t*)main_thread, SIGTERM);
  while (stop == 0) nanosleep(&pause, NULL);
  printf("stopped by %d\n", stop);
  return NULL;
}

int main(void) {
  if (pipe(pipe_in) != 0 || pipe(pipe_wait) != 0) return 2;
  handle(SIGUSR1, waits, 0);
  pthread_t feeder;
  pthread_create(&feeder, NULL, feeds, NULL);
  for (int i = 0; i < 3; ++i) raise(SIGUSR1);
  pthread_join(feeder, NULL);
  printf("under the lock: %d\n", under_lock);

  handle(SIGALRM, counts_alarm, 0);
  struct itimerval soon = {{0, 0}, {0, 3000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  char byte;
  errno = 0;
  ssize_t n = read(pipe_in[0], &byte, 1);
  printf("read: %zd %d, alarms %d\n", n, errno == EINTR, alarms);
  struct pollfd wait = {pipe_in[0], POLLIN, 0};
  setitimer(ITIMER_REAL, &soon, NULL);
  n = poll(&wait, 1, -1);
  printf("poll: %zd %d, alarms %d\n", n, errno == EINTR, alarms);
  int queue = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  epoll_ctl(queue, EPOLL_CTL_ADD, pipe_in[0], &event);
  setitimer(ITIMER_REAL, &soon, NULL);
  n = epoll_wait(queue, &event, 1, -1);
  printf("epoll: %zd %d, alarms %d\n", n, errno == EINTR, alarms);

  handle(SIGALRM, jumps, 0);
  if (sigsetjmp(back, 1) == 0) {
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;) pause();
  }
  printf("jumped out\n");

  handle(SIGCHLD, child_ended, SA_RESTART);
  pid_t child = fork();
  if (child == 0) _exit(7);
  while (ended == 0) usleep(500);
  printf("child %d\n", ended);

  handle(SIGTERM, says_stop, SA_RESTART);
  pthread_t looker, self = pthread_self();
  pthread_create(&looker, NULL, looks, &self);
  pthread_join(looker, NULL);

  handle(SIGHUP, runs_once, (int)SA_RESETHAND);
  raise(SIGHUP);
  struct sigaction now;
  sigaction(SIGHUP, NULL, &now);
  printf("once %d, then %s\n", once, now.sa_handler == SIG_DFL ? "default" : "handled");

  stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
  sigaltstack(&stack, NULL);
  handle(SIGSEGV, notes_stack, SA_ONSTACK | SA_NODEFER);
  if (sigsetjmp(back, 1) == 0) *(volatile int*)8 = 1;
  printf("fault on the other stack: %d\n", on_other_stack);
  return 0;
}
