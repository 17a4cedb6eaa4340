// Waits for a line, by stdio, with the lock that the writer needs.
// proof: no
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static void* first(void* x) {
  pthread_mutex_lock(&lock);
  char line[8];
  (void)!fgets(line, sizeof line, fdopen(ends[0], "r"));
  pthread_mutex_unlock(&lock);
  return x;
}
static void* second(void* x) {
  pthread_mutex_lock(&lock);
  (void)!write(ends[1], "x\n", 2);
  pthread_mutex_unlock(&lock);
  return x;
}
int main(void) {
  pthread_t one, two;
  if (pipe(ends) != 0) return 1;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
// expect: none
