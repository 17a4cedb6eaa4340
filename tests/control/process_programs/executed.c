// A program that others execute: says what it was given, what it inherited, and the order of its threads.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
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
  char text[256] = "";
  const char* color = getenv("COLOR");
  pthread_t a, b;
  pthread_create(&a, 0, work, "a");
  pthread_create(&b, 0, work, "b");
  pthread_join(a, 0);
  pthread_join(b, 0);
  if (count > 2) {
    ssize_t bytes = read(atoi(words[2]), text, sizeof text - 1);  // a descriptor that it inherited
    if (bytes >= 0) text[bytes] = 0;
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%s %s color %s got '%s' order %s at %ld by %d stack %p\n", words[0], count > 1 ? words[1] : "-",
         color ? color : "none", text, order, now.tv_nsec, (int)getpid(), (void*)&a);
  return 6;
}
