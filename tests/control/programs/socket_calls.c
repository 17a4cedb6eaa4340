// Calls on sockets that a replay connects to nobody: options, shutdown, and a file sent without passing through the program.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

static void* serve(void* listener) {
  int s = accept(*(int*)listener, 0, 0), one = 1, file = open("/proc/self/exe", O_RDONLY);
  int option = setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  off_t at = 100;
  ssize_t by_offset = sendfile(s, file, &at, 1000), by_place = sendfile(s, file, 0, 500);
  off_t place = lseek(file, 0, SEEK_CUR);
  int closed = shutdown(s, SHUT_WR);
  printf("%d %zd %zd %ld %ld %d\n", option, by_offset, by_place, (long)at, (long)place, closed);
  close(file);
  close(s);
  return 0;
}

int main(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  int l = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(l, (struct sockaddr*)&at, length) || listen(l, 1) || getsockname(l, (struct sockaddr*)&at, &length)) return 1;
  pthread_t server;
  pthread_create(&server, 0, serve, &l);
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(s, (struct sockaddr*)&at, length)) return 1;
  char bytes[512];
  ssize_t n, all = 0;
  while ((n = read(s, bytes, sizeof bytes)) > 0) all += n;
  pthread_join(server, 0);
  printf("%zd\n", all);
  return 0;
}
