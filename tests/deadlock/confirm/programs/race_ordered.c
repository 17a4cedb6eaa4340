// A pipe orders the two accesses, which the analysis does not know: an alarm that no run can confirm, although runs
// come to both places.
#include <pthread.h>
#include <unistd.h>
int ends[2];
int value;
void *writer(void *arg) {
  value = 1;
  char byte = 0;
  return write(ends[1], &byte, 1) == 1 ? arg : 0;
}
void *reader(void *arg) {
  char byte;
  if (read(ends[0], &byte, 1) == 1) value++;
  return arg;
}
int main(void) {
  if (pipe(ends) != 0) return 1;
  pthread_t one, two;
  pthread_create(&one, 0, writer, 0);
  pthread_create(&two, 0, reader, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
