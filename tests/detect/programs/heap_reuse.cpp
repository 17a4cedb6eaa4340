#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
int* volatile shared;

static void* First(void*) {
#ifdef BUG
  shared = new int(1);
#else
  int* mine = new int(1);
  *mine = 2;
  delete mine;
#endif
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
#ifdef BUG
  delete shared;
#else
  int* mine = new int(3);
  *mine = 4;
  delete mine;
#endif
  return nullptr;
}

int main() {
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, First, nullptr);
  pthread_create(&second, nullptr, Second, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
