/* Detached threads: by attribute, by themselves, by their creator. */
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static sem_t done;

static void* Post(void* argument) {
  (void)argument;
  sem_post(&done);
  return NULL;
}

static void* DetachAndPost(void* argument) {
  CHECK(pthread_detach(pthread_self()) == 0);
  return Post(argument);
}

int main(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  sem_init(&done, 0, 0);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  CHECK(pthread_create(&thread, &attributes, Post, NULL) == 0);
  CHECK(pthread_create(&thread, NULL, DetachAndPost, NULL) == 0);
  CHECK(pthread_create(&thread, NULL, Post, NULL) == 0);
  CHECK(pthread_detach(thread) == 0);
  for (int i = 0; i < 3; ++i) sem_wait(&done);
  puts("done");
  return 0;
}
