// What a checkpoint has to make again besides memory: files that are read, two descriptors of one open file, a file
// that is written, a pipe between threads, a signal handler, thread-specific values, shared memory, another folder.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kRounds = 400 };

static int pipe_ends[2];
static volatile sig_atomic_t handled;
static pthread_key_t key;
static int* shared;

static void OnSignal(int number) { handled += number == SIGUSR1; }

static void* Echo(void* value) {
  pthread_setspecific(key, &value);
  int32_t number;
  int epoll = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = pipe_ends[0]};
  epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_ends[0], &wanted);
  for (;;) {
    struct epoll_event event;
    if (epoll_wait(epoll, &event, 1, -1) != 1 || read(event.data.fd, &number, sizeof number) != sizeof number) return NULL;
    if (number < 0) break;
    __atomic_fetch_add(shared, number, __ATOMIC_SEQ_CST);
    if (pthread_getspecific(key) != &value) abort();
  }
  close(epoll);
  return value;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int words = open(argv[1], O_RDONLY);
  int same = dup(words);
  FILE* log = fopen(argv[2], "w");
  signal(SIGUSR1, OnSignal);
  pthread_key_create(&key, NULL);
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pipe(pipe_ends) != 0 || log == NULL || chdir("/") != 0) return 2;
  pthread_t echo;
  pthread_create(&echo, NULL, Echo, &echo);
  for (int32_t i = 0; i < kRounds; ++i) {
    char letters[2] = {0};
    // Each reads the next letter, whichever of the two numbers is used.
    if (read(i % 2 == 0 ? words : same, letters, 1) != 1) lseek(words, 0, SEEK_SET);
    if (write(pipe_ends[1], &i, sizeof i) != sizeof i) return 2;
    fprintf(log, "%d %s\n", i, letters);
    if (i % 16 == 0) fflush(log);
    if (i % 8 == 0) raise(SIGUSR1);
    if (i % 10 == 0) {
      char folder[64];
      dprintf(STDOUT_FILENO, "%d `%s` %d %s\n", i, letters, (int)handled, getcwd(folder, sizeof folder));
    }
  }
  int32_t last = -1;
  if (write(pipe_ends[1], &last, sizeof last) != sizeof last) return 2;
  void* result = NULL;
  pthread_join(echo, &result);
  dprintf(STDOUT_FILENO, "sum %d, %d handled, joined %d\n", *shared, (int)handled, result == &echo);
  return 0;
}
