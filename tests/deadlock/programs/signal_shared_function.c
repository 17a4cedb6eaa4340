// The handler and the interrupted code call the same function, which locks.
// expect: signal A-A
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int lines;
__attribute__((noinline)) void report(const char *text) {
  pthread_mutex_lock(&m);  //@ A
  lines++;
  for (const char *at = text; *at != 0; at++) putchar(*at == ' ' ? '_' : *at);
  printf("%s %s %s %s\n", text, text, text, text);
  printf("%s %s %s\n", text, text, text);
  for (const char *at = text; *at != 0; at++) putchar(*at == '-' ? '_' : *at);
  pthread_mutex_unlock(&m);
}
void on_signal(int n) { report("signal"); }
int main() {
  signal(SIGUSR1, on_signal);
  report("main");
}
