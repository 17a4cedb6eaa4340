// A timer whose function libc runs in a thread of its own.
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "steps.h"
sem_t fired;
int data;
static void Fire(sigval) {
  ++data;
  sem_post(&fired);
#ifdef BUG
  WaitStep(1);
  ++data;
  NextStep();
#endif
}
int main() {
  sem_init(&fired, 0, 0);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = Fire;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  data = 1;
  itimerspec soon{};
  soon.it_value.tv_nsec = 1000;
  timer_settime(timer, 0, &soon, nullptr);
  sem_wait(&fired);
  ++data;
#ifdef BUG
  NextStep();
  WaitStep(2);
#endif
  timer_delete(timer);
}
