// Numbers that libc opens by itself (tmpfile, folders, children) are used again: a new life, not a use of the old one.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <thread>

#include "steps.h"
char word;
static void Files() {
  FILE* file = tmpfile();
  if (file == nullptr) abort();
  fputs("abc", file);
  fclose(file);
  FILE* child = popen("true", "r");
  char first;
  if (child == nullptr || read(fileno(child), &first, 1) != 0) abort();
  pclose(child);
  DIR* folder = opendir("/");
  fchdir(dirfd(folder));
  closedir(folder);
}
int g_fd = open("/dev/null", O_RDWR);
int main() {
  std::thread first([] {
    Files();
    NextStep();
#ifdef BUG
    WaitStep(2);
    close(g_fd);
    NextStep();
#endif
  });
  std::thread second([] {
    WaitStep(1);
    Files();
#ifdef BUG
    NextStep();
    WaitStep(3);
    if (write(g_fd, &word, 1) == 1) abort();
#endif
  });
  first.join();
  second.join();
}
