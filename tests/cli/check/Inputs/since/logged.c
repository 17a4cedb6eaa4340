#include <sys/wait.h>
#include <unistd.h>

#include "parts.h"
int main(void) {
  pid_t p = fork();
  if (p == 0) _exit(logged(1));
  int s;
  waitpid(p, &s, 0);
  return WEXITSTATUS(s) == 5 ? 0 : 1;
}
