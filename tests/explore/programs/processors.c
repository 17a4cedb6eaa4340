// The search holds the process that performs its executions on one processor; a program that asks must not see that.
// Some executions ask, behind others that did not.
// EXPLORE: -> executions=6
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static int Processors(void) {
  cpu_set_t set;
  assert(sched_getaffinity(0, sizeof set, &set) == 0);
  return CPU_COUNT(&set);
}

static void *Set(void *unused) {
  flag = 1;
  flag = 2;
  return unused;
}

static void *Look(void *before) {
  int first = flag;
  if (first == 2 || flag == 2) assert(Processors() == *(int *)before);
  return before;
}

int main(void) {
  int before = Processors();
  pthread_t threads[2];
  pthread_create(&threads[0], 0, Look, &before);
  pthread_create(&threads[1], 0, Set, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
