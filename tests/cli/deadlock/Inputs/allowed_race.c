#include <pthread.h>
static int shown, other;
static void *work(void *arg) {
  // heddle-allow(race): a lost update does not matter,
  // the number is only shown
  shown++;
#ifdef TWO
  other++;
#endif
  return arg;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, work, 0);
  pthread_create(&two, 0, work, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return other > 4;
}
