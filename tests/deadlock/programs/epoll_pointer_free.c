// The same, without the lock.
// expect: none
#include <pthread.h>
#include <sys/epoll.h>
struct handler { void (*run)(struct handler *); };
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static void run(struct handler *h) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}
int main(void) {
  static struct handler mine = {run};
  int set = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {.ptr = &mine}}, got[4];
  epoll_ctl(set, EPOLL_CTL_ADD, 0, &event);
  if (epoll_wait(set, got, 4, -1) < 1) return 1;
  struct handler *h = got[0].data.ptr;
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  h->run(h);
}
