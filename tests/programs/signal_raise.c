/* A handler that runs inside raise, with sigaction and with signal; it posts a semaphore and nests. */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

#include "check.h"

static sem_t sem;
static int calls;

static void Inner(int number) {
  CHECK(number == SIGUSR2);
  ++calls;
  errno = 55;
}

static void Outer(int number, siginfo_t* info, void* context) {
  CHECK(number == SIGUSR1 && info->si_signo == SIGUSR1 && context != NULL);
  ++calls;
  sem_post(&sem);
  raise(SIGUSR2);
}

int main(void) {
  struct sigaction action, old;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = Outer;
  action.sa_flags = SA_SIGINFO;
  sem_init(&sem, 0, 0);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  CHECK(signal(SIGUSR2, Inner) == SIG_DFL);
  CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
  CHECK(old.sa_sigaction == Outer && (old.sa_flags & SA_SIGINFO) != 0);
  CHECK(signal(SIGUSR2, Inner) == Inner);
  errno = 0;
  raise(SIGUSR1);
  sem_wait(&sem);
  action.sa_flags = (int)(SA_SIGINFO | SA_RESETHAND);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  raise(SIGUSR1);
  CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
  CHECK(old.sa_handler == SIG_DFL);
  CHECK(signal(SIGUSR2, SIG_IGN) == Inner);
  raise(SIGUSR2);
  printf("%d\n", calls);
  return 0;
}
