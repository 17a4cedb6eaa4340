// A structure is copied while another thread changes it.
#include <pthread.h>
#include <string.h>
struct message {
  char text[100];
  int length;
} shared, copy;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *sender(void *arg) {
  pthread_mutex_lock(&m);
  shared.length = 3;  //@ A
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sender, 0);
#ifdef FIXED
  pthread_mutex_lock(&m);
#endif
  memcpy(&copy, &shared, sizeof copy);  //@ B
#ifdef FIXED
  pthread_mutex_unlock(&m);
#endif
  pthread_join(t, 0);
  return copy.length;
}
// expect: shared.length A-B
