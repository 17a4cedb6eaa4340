/* A program that prints: stdio asks what standard output is, which a restart in place need not undo.
   EXPLORE: -> findings=none in_place executions=2 options=--commute,off */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int count;

static void* add(void* argument) {
  atomic_fetch_add(&count, 1);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
  atomic_fetch_add(&count, 1);
  pthread_join(thread, NULL);
  printf("%d\n", atomic_load(&count));
  return 0;
}
