/* Load for server.cpp: `requests` requests to a port from `threads` threads; seconds. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int port;
static int share;

static void* Client(void* argument) {
  long wrong = 0;
  for (int i = 0; i < share; ++i) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    char text[4096];
    int n = snprintf(text, sizeof text, "GET /page%d HTTP/1.0\r\n\r\n", i % 50);
    if (connect(connection, (struct sockaddr*)&address, sizeof address) != 0 || write(connection, text, (size_t)n) != n) {
      ++wrong;
    } else {
      long got = 0;
      while ((n = (int)read(connection, text, sizeof text)) > 0) got += n;
      if (got < 200) ++wrong;
    }
    close(connection);
  }
  (void)argument;
  return (void*)wrong;
}

int main(int count, char** arguments) {
  if (count < 4) return 2;
  port = atoi(arguments[1]);
  int threads = atoi(arguments[3]);
  share = atoi(arguments[2]) / threads;
  pthread_t handles[64];
  struct timespec start;
  struct timespec end;
  long wrong = 0;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < threads; ++i) pthread_create(&handles[i], NULL, Client, NULL);
  for (int i = 0; i < threads; ++i) {
    void* result = NULL;
    pthread_join(handles[i], &result);
    wrong += (long)result;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.4f %ld\n", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9, wrong);
  return wrong == 0 ? 0 : 1;
}
