// The whole process ends: nobody waits.
// expect: none
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m;
int x;
void *work(void *arg) {
  pthread_mutex_lock(&m);
  if (x) exit(1);
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
