// One program, many tests: what it does is said by its argument.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static int careful;

static void* Work(void* unused) {
  if (careful) pthread_mutex_lock(&lock);
  shared++;
  if (careful) pthread_mutex_unlock(&lock);
  return unused;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const char* wanted = getenv("MEMBER");
  if (strcmp(what, "environment") == 0) return wanted != NULL && strcmp(wanted, "yes") == 0 && access("here", F_OK) == 0 ? 0 : 7;
  for (volatile int spins = 0; strcmp(what, "hang") == 0;) spins = 1;
  if (strcmp(what, "crash") == 0) abort();
  if (strcmp(what, "fail") == 0) return 3;
  careful = strcmp(what, "careful") == 0;
  pthread_t a, b;
  pthread_create(&a, NULL, Work, NULL);
  pthread_create(&b, NULL, Work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
