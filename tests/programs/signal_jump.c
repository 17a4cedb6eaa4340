/* siglongjmp out of a handler ends it; a jump within a handler does not. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "check.h"

static sigjmp_buf back;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int inside;

static void Handler(int number) {
  sigjmp_buf here;
  if (sigsetjmp(here, 0) == 0) {
    siglongjmp(here, 1);
  }
  ++inside;
  if (number == SIGUSR1) siglongjmp(back, 1);
}

static int Fault(volatile int* where) { return *where; }

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = Handler;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  for (volatile int i = 0; i < 3; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      raise(SIGUSR1);
      CHECK(0);
    }
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  raise(SIGUSR2);
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  (void)Fault;
  printf("%d\n", inside);
  return 0;
}
