// The C library writes as many bytes as it is told.
#include <pthread.h>
#include <unistd.h>
char buffer[64];
void *worker(void *arg) {
#ifdef FIXED
  buffer[40]++;
#else
  buffer[12]++;  //@ A
#endif
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  read(0, buffer, 16);  //@ B
  pthread_join(t, 0);
  return 0;
}
// expect: buffer[12] A-B
