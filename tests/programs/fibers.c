/* Fibers by ucontext, announced with the annotations: each is a thread of its own in the trace. */
#include <pthread.h>
#include <ucontext.h>

#include "annotations.h"
#include "check.h"

static ucontext_t main_context, fiber_context;
static char stack[1 << 16];
static void* main_fiber;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int steps;

static void Back(void) {
  CALL(__tsan_switch_to_fiber, (main_fiber, 0));
  swapcontext(&fiber_context, &main_context);
}

static void Fiber(void) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    ++steps;
    pthread_mutex_unlock(&mutex);
    Back();
  }
}

int main(void) {
  void* fiber = NULL;
  main_fiber = __tsan_get_current_fiber ? __tsan_get_current_fiber() : NULL;
  if (__tsan_create_fiber) fiber = __tsan_create_fiber(0);
  CALL(__tsan_set_fiber_name, (fiber, "worker"));
  getcontext(&fiber_context);
  fiber_context.uc_stack.ss_sp = stack;
  fiber_context.uc_stack.ss_size = sizeof stack;
  makecontext(&fiber_context, Fiber, 0);
  for (int i = 0; i < 2; ++i) {
    CALL(__tsan_switch_to_fiber, (fiber, 0));
    swapcontext(&main_context, &fiber_context);
    pthread_mutex_lock(&mutex);
    ++steps;
    pthread_mutex_unlock(&mutex);
  }
  CALL(__tsan_destroy_fiber, (fiber));
  printf("%d\n", steps);
  return 0;
}
