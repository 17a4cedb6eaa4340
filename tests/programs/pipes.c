/* Threads talk through a pipe and a socket pair: reads and writes are visible. */
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check.h"

static int ends[2];
static int pair[2];
static int message;

static void* Peer(void* argument) {
  char c = 0;
  (void)argument;
  CHECK(read(ends[0], &c, 1) == 1 && c == 'a');
  CHECK(message == 7);
  message = 8;
  struct iovec piece = {"bc", 2};
  CHECK(writev(pair[1], &piece, 1) == 2);
  CHECK(send(pair[1], "d", 1, 0) == 1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  char buffer[4];
  CHECK(pipe(ends) == 0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  pthread_create(&thread, NULL, Peer, NULL);
  message = 7;
  CHECK(write(ends[1], "a", 1) == 1);
  CHECK(recv(pair[0], buffer, 2, MSG_WAITALL) == 2);
  CHECK(read(pair[0], buffer, 1) == 1);
  CHECK(message == 8);
  pthread_join(thread, NULL);
  CHECK(close(pair[1]) == 0);
  CHECK(read(pair[0], buffer, 1) == 0);
  CHECK(write(-1, buffer, 1) == -1 && errno == EBADF);
  printf("%c\n", buffer[0]);
  return 0;
}
