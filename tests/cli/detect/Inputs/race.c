/* Two threads write `value` without an order; then the program does what its argument says. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int value;

static void* First(void* nothing) {
  value = 1;
  return nothing;
}
static void* Second(void* nothing) {
  value = 2;
  return nothing;
}

int main(int argc, char** argv) {
  pthread_t first;
  pthread_t second;
  pthread_create(&first, NULL, First, NULL);
  pthread_create(&second, NULL, Second, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  const char* then = argc > 1 ? argv[1] : "";
  if (strcmp(then, "crash") == 0) *(volatile int*)NULL = 1;
  if (strcmp(then, "abort") == 0) abort();
  if (strcmp(then, "kill") == 0) kill(getpid(), SIGKILL);
  while (strcmp(then, "forever") == 0) pause();
  puts("done");
  return strcmp(then, "seven") == 0 ? 7 : 0;
}
