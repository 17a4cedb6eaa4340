// Handlers around fork take the program's lock, so the child finds it free.
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "steps.h"
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int data;
int main() {
  pthread_atfork([] { pthread_mutex_lock(&m); }, [] { pthread_mutex_unlock(&m); }, [] { pthread_mutex_unlock(&m); });
  std::thread t([] {
    for (int i = 0; i < 200; ++i) {
      pthread_mutex_lock(&m);
      ++data;
      pthread_mutex_unlock(&m);
    }
    NextStep();
  });
#ifdef BUG
  WaitStep(1);
  ++data;
#endif
  for (int i = 0; i < 5; ++i) {
    pid_t pid = fork();
    if (pid == 0) {
      pthread_mutex_lock(&m);
      ++data;
      pthread_mutex_unlock(&m);
      _exit(0);
    }
    waitpid(pid, nullptr, 0);
  }
  t.join();
  ++data;
}
