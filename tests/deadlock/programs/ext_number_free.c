// The fixed twin of ext_number.c: the callback takes the lock whose address is a number first.
// expect: none
#include <pthread.h>
struct work {
  pthread_mutex_t *lock;
};
extern void run_later(void (*call)(unsigned long), unsigned long data);
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static struct work needed = {&a_lock};
static void called(unsigned long data) {
  struct work *work = (struct work *)data;
  pthread_mutex_lock(work->lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(work->lock);
}
static void *one(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
int main() {
  pthread_t thread;
  pthread_create(&thread, 0, one, 0);
  run_later(called, (unsigned long)&needed);
  pthread_join(thread, 0);
  return 0;
}
