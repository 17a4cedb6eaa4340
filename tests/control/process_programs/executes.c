// Executes another program in three ways: fork and exec with an environment of its own, posix_spawn, and exec of this
// process itself. One exec fails.
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void* nothing(void* argument) { return argument; }

int main(int count, char** words) {
  if (count < 2) return 2;
  pthread_t thread;
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, 0);
  int ends[2];
  if (pipe(ends) != 0) return 1;
  char number[16];
  snprintf(number, sizeof number, "%d", ends[0]);
  if (write(ends[1], "through a pipe", 14) != 14) return 1;
  pid_t child = fork();
  if (child == 0) {
    char* own[] = {"COLOR=blue", 0};
    char* arguments[] = {"another name", "forked", number, 0};
    execve("/nowhere/at/all", arguments, own);
    if (errno == ENOENT) execve(words[1], arguments, own);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("forked: %d\n", WEXITSTATUS(status));
  char* arguments[] = {words[1], "spawned", 0};
  if (posix_spawn(&child, words[1], 0, 0, arguments, environ) != 0) return 1;
  waitpid(child, &status, 0);
  printf("spawned: %d\n", WEXITSTATUS(status));
  fflush(stdout);
  execl(words[1], words[1], "replaced", (char*)0);
  return 9;
}
