// One side looks at a flag by volatile loads, the other sets it by a plain store, as nginx's thread pool does when it
// ends. How long the other side computes before it does so comes from the environment, which a recording does not keep.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long rounds;
int sink;  // not static: the loop has to be there

static void* leaves(void* argument) {
  long* flag = argument;
  unsigned mixed = 1;
  for (long i = 0; i < rounds; ++i) mixed = mixed * 1664525U + 1013904223U;
  sink = (int)mixed;
  *flag = 0;
  return NULL;
}

int main(void) {
  const char* text = getenv("ROUNDS");
  rounds = text == NULL ? 0 : atol(text);
  for (int i = 0; i < 3; ++i) {
    volatile long flag = 1;  // of this stack: a store that came late would spoil what is here then
    long looks = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, leaves, (void*)&flag);
    while (flag != 0) ++looks;
    printf("%ld looks\n", looks);
    pthread_join(thread, NULL);
  }
  return 0;
}
