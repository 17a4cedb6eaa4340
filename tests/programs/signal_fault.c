/* A handler for a fault on its own stack jumps back out, ten times. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "check.h"

static sigjmp_buf back;
static char stack[1 << 16];

static void Handler(int number, siginfo_t* info, void* context) {
  (void)context;
  CHECK(number == SIGSEGV && info->si_addr == (void*)16);
  siglongjmp(back, 1);
}

int main(void) {
  struct sigaction action;
  stack_t alternate;
  memset(&action, 0, sizeof action);
  memset(&alternate, 0, sizeof alternate);
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  CHECK(sigaltstack(&alternate, NULL) == 0);
  action.sa_sigaction = Handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, NULL);
  volatile int faults = 0;
  int* volatile nowhere = (int*)16;
  for (volatile int i = 0; i < 10; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      *nowhere = 1;
    } else {
      ++faults;
    }
  }
  printf("%d\n", faults);
  return 0;
}
