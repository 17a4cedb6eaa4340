#include <heddle/heddle.h>
#include <pthread.h>
#include <stdio.h>

static void* Work(void* argument) {
  HEDDLE_EVENT("work", 7);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  pthread_join(thread, NULL);
  puts("installed");
  return 0;
}
