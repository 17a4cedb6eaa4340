// A record lock is asked for, but not waited for.
// proof: yes
#include <fcntl.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  int file = open("/dev/null", O_RDWR);
  struct flock whole = {.l_type = F_WRLCK};
  pthread_mutex_lock(&lock);
  fcntl(file, F_SETLK, &whole);
  pthread_mutex_unlock(&lock);
  return 0;
}
// expect: none
