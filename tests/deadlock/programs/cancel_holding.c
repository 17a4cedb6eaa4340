// The thread is cancelled where it sleeps, with the lock held.
// proof: no
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* x) {
  pthread_mutex_lock(&lock);
  sleep(1);
  pthread_mutex_unlock(&lock);
  return x;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_cancel(thread);
  pthread_join(thread, 0);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
// expect: none
