/* A child process in each execution: runs in copies of the process, and the child's end is waited for.
 * EXPLORE: -> exit=3 says=a.process.is.made */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
static atomic_int g_sum;
static void* Run(void* unused) {
  g_sum++;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, Run, 0);
  g_sum++;
  pthread_join(thread, 0);
  pid_t child = fork();
  if (child == 0) _exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 3 ? 0 : 1;
}
