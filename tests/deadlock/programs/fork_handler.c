// A handler of pthread_atfork takes the lock under which fork is called.
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void before(void) { pthread_mutex_lock(&lock); }  //@ B
static void after(void) { pthread_mutex_unlock(&lock); }
int main(void) {
  pthread_atfork(before, after, after);
  pthread_mutex_lock(&lock);  //@ A
  if (fork() == 0) _exit(0);
  pthread_mutex_unlock(&lock);
  return 0;
}
// expect: self A-B
