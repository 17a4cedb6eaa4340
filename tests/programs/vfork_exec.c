/* A child of vfork borrows the parent's memory: it leaves no trace of its own, and the parent goes on. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  int status = 0;
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", NULL);
    _exit(97);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  child = vfork();
  if (child == 0) _exit(4);
  CHECK(waitpid(child, &status, 0) == child);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
