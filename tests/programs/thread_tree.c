/* Threads that start threads: ids say whose child each is, whatever the timing; names are given and taken. */
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* Leaf(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void* Branch(void* argument) {
  pthread_t leaves[2];
  pthread_setname_np(pthread_self(), "branch");
  for (int i = 0; i < 2; ++i) pthread_create(&leaves[i], NULL, Leaf, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(leaves[i], NULL);
  return argument;
}

int main(void) {
  pthread_t branches[2];
  for (int i = 0; i < 2; ++i) pthread_create(&branches[i], NULL, Branch, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(branches[i], NULL);
  puts("done");
  return 0;
}
