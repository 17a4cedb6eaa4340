// Two threads, two fields of one struct, and in the wrong version a third one that both write.
#include <pthread.h>
struct stats {
  long in;
  long out;
  int last;
} stats;
void *reader(void *arg) {
  stats.in += 2;
#ifndef FIXED
  stats.last = 1;  //@ A
#endif
  return arg;
}
void *writer(void *arg) {
  stats.out += 3;
#ifndef FIXED
  stats.last = 2;  //@ B
#endif
  return arg;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, writer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return stats.last + (int)(stats.in + stats.out);
}
// expect: stats.last A-B
