// A timer calls back in a thread of libc's own, which posts; nothing is wrong here.
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t g_posted;
static int g_value;

static void Fired(union sigval unused) {
  (void)unused;
  ++g_value;
  sem_post(&g_posted);
}

int main(void) {
  sem_init(&g_posted, 0, 0);
  timer_t timer;
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = Fired;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec soon = {{0, 0}, {0, 1000000}};
  g_value = 1;
  timer_settime(timer, 0, &soon, NULL);
  sem_wait(&g_posted);
  return g_value != 2;
}
