// The number of threads is read through a pointer, and a thread writes the variable itself.
// expect: cycle A-B C-D
#include <pthread.h>
#include <stdlib.h>
unsigned threads;
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
void *first(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  threads = 1;
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return arg;
}
__attribute__((noinline)) void run(unsigned *count) {
  pthread_t *t = malloc(*count * sizeof *t);
  if (t == NULL) exit(1);
  for (unsigned i = 0; i < *count; i++) pthread_create(&t[i], 0, first, 0);
  for (unsigned i = 0; i < *count; i++) pthread_join(t[i], 0);
  free(t);
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
}
int main(int argc, char **argv) {
  unsigned other = 2;
  threads = (unsigned)argc;
  run(argc > 2 ? &other : &threads);
  return 0;
}
