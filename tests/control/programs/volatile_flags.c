// Two threads that tell each other by volatile variables of every size, as hand-made locks and stop flags do. What is
// printed depends on who looks when.
#include <pthread.h>
#include <stdio.h>

static volatile char stop;
static volatile short asked;
static volatile int answered;
static volatile long total;
static volatile double half;
static volatile float quarter;
static int target;
static int* volatile where;

static void* answers(void* argument) {
  volatile int own = 0;  // nobody else has it
  while (!stop) {
    ++own;
    if (asked == 0) continue;
    asked = 0;
    total = total - 3;
    half = half + 0.5;
    quarter = quarter + 0.25F;
    where = &target;
    answered = answered + 1;
  }
  printf("%d rounds\n", own);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, answers, NULL);
  for (int i = 0; i < 20; ++i) {
    int looks = 0;
    asked = 1;
    while (asked != 0) ++looks;
    printf("%d looks, %d answered\n", looks, answered);
  }
  stop = 1;
  pthread_join(thread, NULL);
  printf("%ld %g %g %d\n", total, half, (double)quarter, where == &target);
  return 0;
}
