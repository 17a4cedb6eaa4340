// Nobody is seen to set the hook: either it is never called, or that was not followed.
// proof: no
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void (*hook)(void);
int main(void) {
  pthread_mutex_lock(&lock);
  if (hook) hook();
  pthread_mutex_unlock(&lock);
  return 0;
}
// expect: none
