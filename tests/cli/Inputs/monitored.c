// A program that does what its argument says, for the tests of `heddle monitor -- PROGRAM`.
#include <heddle/heddle.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void* locked(void* unused) {
  for (int i = 0; i < 5000; i++) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
  }
  return unused;
}

static void* unlocked(void* unused) {
  x++;
  return unused;
}

static void run(void* (*start)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, start, NULL) != 0) exit(2);
  pthread_join(thread, NULL);
}

static void in_child(void) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 20; i++) locked(NULL);
    puts("child done");
    exit(0);
  }
  waitpid(child, NULL, 0);
  puts("parent done");
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  run(locked);
  if (strcmp(what, "abort") == 0) abort();
  if (strcmp(what, "segv") == 0) raise(SIGSEGV);
  if (strcmp(what, "fork") == 0) in_child();
  if (strcmp(what, "forever") == 0) {
    run(unlocked);
    for (;;) locked(NULL);
  }
  if (strcmp(what, "handles") == 0) {
    HEDDLE_EVENT("open", 7);
    HEDDLE_EVENT("read", 7);
    HEDDLE_EVENT("close", 7);
    HEDDLE_EVENT("read", 8);
  }
  return 0;
}
