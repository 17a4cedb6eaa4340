/* Threads that a system call makes behind the runtime's back run on their own; the execution runs in a copy.
 * EXPLORE: -> exit=3 says=a.process.is.made */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
static atomic_int g_sum;
static char g_stack[1 << 16];
static int Behind(void* unused) {
  (void)unused;
  return 0;
}
static void* Run(void* unused) {
  g_sum++;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, Run, 0);
  int child = clone(Behind, g_stack + sizeof g_stack, CLONE_VM | SIGCHLD, 0);
  g_sum++;
  pthread_join(thread, 0);
  return child > 0 && waitpid(child, 0, __WALL) == child ? 0 : 1;
}
