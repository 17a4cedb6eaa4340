// A server whose client is another process: it gives up when nothing comes for five seconds.
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static void* ticks(void* stop) {
  while (!__atomic_load_n((int*)stop, __ATOMIC_ACQUIRE)) usleep(100000);
  return NULL;
}

int main(void) {
  int stop = 0;
  pthread_t ticker;
  int server = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  bind(server, (struct sockaddr*)&address, sizeof address);
  listen(server, 5);
  getsockname(server, (struct sockaddr*)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  pthread_create(&ticker, NULL, ticks, &stop);
  struct pollfd wait = {server, POLLIN, 0};
  int ready = poll(&wait, 1, 5000);
  char byte = '-';
  if (ready == 1) {
    int client = accept(server, NULL, NULL);
    wait.fd = client;
    if (poll(&wait, 1, 5000) == 1 && read(client, &byte, 1) != 1) byte = '?';
    close(client);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  pthread_join(ticker, NULL);
  printf("ready %d byte %c\n", ready, byte);
  return ready == 1 && byte == 'x' ? 0 : 1;
}
