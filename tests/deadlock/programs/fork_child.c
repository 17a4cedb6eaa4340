// The child has a copy of the lock, which the other thread held when it was made.
// proof: no
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* x) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return x;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  if (fork() == 0) {
    pthread_mutex_lock(&lock);
    _exit(0);
  }
  pthread_join(thread, 0);
  return 0;
}
// expect: none
