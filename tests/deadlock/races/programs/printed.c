// printf reads the string that another thread writes.
#include <pthread.h>
#include <stdio.h>
char name[16] = "nobody";
void *worker(void *arg) {
  snprintf(name, sizeof name, "%s", "somebody");  //@ A
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
#ifdef FIXED
  pthread_join(t, 0);
  printf("%d %s\n", 1, name);
#else
  printf("%d %s\n", 1, name);  //@ B
  pthread_join(t, 0);
#endif
  return 0;
}
// expect: name[0] A-B
