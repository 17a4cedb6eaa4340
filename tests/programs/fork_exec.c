/* fork and exec of itself: three traces, the second and the third of the same process. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pthread.h>

#include "check.h"

int main(int count, char** arguments) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (count > 1) {
    pthread_mutex_lock(&mutex);
    printf("executed with %s\n", arguments[1]);
    pthread_mutex_unlock(&mutex);
    return 6;
  }
  int status = 0;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    char* again[] = {arguments[0], "word", NULL};
    execv(arguments[0], again);
    _exit(97);
  }
  CHECK(waitpid(child, &status, 0) == child);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
