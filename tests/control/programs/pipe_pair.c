/* Two threads that talk through pipes, and a third that polls. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int there[2];
static int back[2];
static int done[2];

static void* Echo(void* argument) {
  char c;
  while (read(there[0], &c, 1) == 1) {
    c += 1;
    if (write(back[1], &c, 1) != 1) break;
  }
  if (write(done[1], "x", 1) != 1) return NULL;
  return argument;
}

static void* Watch(void* argument) {
  struct pollfd wait = {done[0], POLLIN, 0};
  printf("poll %d\n", poll(&wait, 1, -1));
  return argument;
}

int main(void) {
  pthread_t echo;
  pthread_t watch;
  if (pipe(there) != 0 || pipe(back) != 0 || pipe(done) != 0) return 1;
  pthread_create(&echo, NULL, Echo, NULL);
  pthread_create(&watch, NULL, Watch, NULL);
  for (char c = 'a'; c < 'f'; ++c) {
    char answer = 0;
    if (write(there[1], &c, 1) != 1 || read(back[0], &answer, 1) != 1) return 2;
    printf("%c%c\n", c, answer);
  }
  close(there[1]);
  pthread_join(echo, NULL);
  pthread_join(watch, NULL);
  return 0;
}
