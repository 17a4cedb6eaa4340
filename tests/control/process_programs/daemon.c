// A daemon by two forks: what is recorded goes on when the first process has ended. It writes to its own file.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[64];
static int used;

static void* work(void* name) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&lock);
    order[used++] = *(char*)name;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

int main(int count, char** words) {
  int ready[2];
  if (count < 2 || pipe(ready) != 0) return 2;
  if (fork() != 0) {
    wait(0);
    printf("started\n");
    close(ready[0]);
    return 0;
  }
  setsid();
  if (fork() != 0) _exit(0);
  for (int fd = 0; fd < 3; ++fd) close(fd);
  open("/dev/null", O_RDWR);
  int out = open(words[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(out, 2);
  close(ready[1]);
  char byte;
  if (read(ready[0], &byte, 1) != 0) return 3;  // until the first process has ended
  pthread_t a, b;
  pthread_create(&a, 0, work, "a");
  pthread_create(&b, 0, work, "b");
  pthread_join(a, 0);
  pthread_join(b, 0);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  dprintf(2, "%s %ld %d\n", order, now.tv_nsec, (int)getpid());
  return 4;
}
