/* From its 20th execution on, each one sends SIGINT to heddle, unless QUIET is set. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
static atomic_int g_sum;
static void* Run(void* unused) {
  int found = 0; /* or nobody could tell the order of the increments */
  for (int i = 0; i < 2; ++i) found += g_sum++;
  return found < 0 ? unused : NULL;
}
int main(void) {
  pid_t heddle = getppid();
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, Run, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  if (getenv("QUIET") == NULL) {
    /* A file is not restored between executions. */
    int file = open("interrupts.count", O_CREAT | O_WRONLY | O_APPEND, 0600);
    struct stat about;
    if (write(file, "x", 1) == 1 && fstat(file, &about) == 0 && about.st_size >= 20) kill(heddle, SIGINT);
  }
  return g_sum == 6 ? 0 : 1;
}
