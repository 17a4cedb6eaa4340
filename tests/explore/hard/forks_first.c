/* A process that is made before the first thread, and makes threads itself: it is no part of the search.
 * EXPLORE: -> exit=3 findings=none bounded says=a.process.is.made */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
static atomic_int g_sum;
static void* Run(void* unused) {
  g_sum++;
  return unused;
}
static int Both(void) {
  pthread_t thread;
  pthread_create(&thread, 0, Run, 0);
  g_sum++;
  pthread_join(thread, 0);
  return g_sum == 2 ? 0 : 1;
}
int main(void) {
  pid_t child = fork();
  if (child == 0) _exit(Both());
  int result = Both();
  int status = 0;
  waitpid(child, &status, WNOHANG);
  return result;
}
