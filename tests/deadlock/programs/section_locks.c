// A lock in a variable that is found by its section and by its name: one lock.
// expect: cycle A-B C-D
#include <pthread.h>
struct entry {
  pthread_mutex_t lock;
  long value;
};
pthread_mutex_t b_lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry first __attribute__((section("entries"), used)) = {PTHREAD_MUTEX_INITIALIZER, 1};
extern struct entry __start_entries[];
void *one(void *arg) {
  pthread_mutex_lock(&first.lock);  //@ A
  pthread_mutex_lock(&b_lock);      //@ B
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&first.lock);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b_lock);                 //@ C
  pthread_mutex_lock(&__start_entries->lock);  //@ D
  pthread_mutex_unlock(&__start_entries->lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
