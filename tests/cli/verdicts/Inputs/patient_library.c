// Built without instrumentation: counts where nobody sees it, and waits for the other thread in its own way.
#include <sched.h>

static int asked;

// True from the fourth call on.
int Patience(void) {
  sched_yield();
  return ++asked > 3;
}

// Waits for another thread; looks a few times before it believes it.
void WaitHere(const int* flag) {
  for (int seen = 0; seen < 3;) {
    sched_yield();
    seen += __atomic_load_n(flag, __ATOMIC_ACQUIRE);
  }
}
