/* From its 20th execution on, each one sends SIGINT to heddle, unless QUIET is set. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static atomic_int g_sum;
static void* Run(void* unused) {
  for (int i = 0; i < 2; ++i) g_sum++;
  return unused;
}
int main(void) {
  pid_t heddle = getppid();
  /* Shared memory is not restored between executions. */
  int* executions = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, Run, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  if (++*executions >= 20 && getenv("QUIET") == NULL) kill(heddle, SIGINT);
  return g_sum == 6 ? 0 : 1;
}
