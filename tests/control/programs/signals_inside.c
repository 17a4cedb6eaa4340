// Signals that a program sends to itself: raise, pthread_kill, alarm, sigwait, interrupted and restarted calls, sigsuspend.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_int alarms, pokes, users;
static sem_t never, ready;
static int ends[2];

static void on_alarm(int number) { (void)number; ++alarms; }
static void on_poke(int number) { (void)number; ++pokes; }
static void on_user(int number) { (void)number; ++users; }

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, NULL);
}

static void* sleeper(void* unused) {
  (void)unused;
  sem_post(&ready);
  int result = sem_wait(&never);
  printf("sem_wait: %s\n", result < 0 && errno == EINTR ? "interrupted" : "?");
  return NULL;
}

static void* reader(void* unused) {
  (void)unused;
  char letter = 0;
  sem_post(&ready);
  ssize_t got = read(ends[0], &letter, 1);
  printf("read: %d %c, %d\n", (int)got, letter, users > 0);
  return NULL;
}

static void* waiter(void* set) {
  int number = 0;
  int error = sigwait(set, &number);
  printf("sigwait: %d %d\n", error, number == SIGTERM);
  return NULL;
}

int main(void) {
  pthread_t thread;
  sem_init(&never, 0, 0);
  sem_init(&ready, 0, 0);
  if (pipe(ends) != 0) return 1;
  handle(SIGALRM, on_alarm, 0);
  handle(SIGUSR1, on_poke, 0);
  handle(SIGUSR2, on_user, SA_RESTART);
  raise(SIGUSR1);
  printf("raise: %d\n", (int)pokes);
  kill(getpid(), SIGUSR1);
  printf("kill: %d\n", (int)pokes);

  pthread_create(&thread, NULL, sleeper, NULL);
  sem_wait(&ready);
  while (pthread_kill(thread, SIGUSR1) == 0 && pokes < 3) usleep(1000);
  pthread_join(thread, NULL);

  pthread_create(&thread, NULL, reader, NULL);
  sem_wait(&ready);
  pthread_kill(thread, SIGUSR2);
  while (users == 0) usleep(1000);
  if (write(ends[1], "x", 1) != 1) return 2;
  pthread_join(thread, NULL);

  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread, NULL, waiter, &set);
  kill(getpid(), SIGTERM);
  pthread_join(thread, NULL);

  struct itimerval once = {{0, 0}, {0, 20000}};
  setitimer(ITIMER_REAL, &once, NULL);
  while (alarms == 0) pause();
  printf("alarm: %d\n", (int)alarms);
  setitimer(ITIMER_REAL, &once, NULL);
  sigset_t none;
  sigemptyset(&none);
  while (alarms == 1) sigsuspend(&none);
  printf("sigsuspend: %d\n", (int)alarms);
  return 0;
}
