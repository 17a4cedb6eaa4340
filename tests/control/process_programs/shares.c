// Two processes that share memory: what one writes the other reads.
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int* shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  if (fork() == 0) {
    *shared = 42;
    _exit(0);
  }
  wait(0);
  printf("%d\n", *shared);
  return 0;
}
