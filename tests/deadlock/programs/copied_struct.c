// The address of the lock is copied with the structure that holds it.
// expect: cycle A-B C-D
#include <pthread.h>
#include <string.h>
struct task {
  int id;
  pthread_mutex_t *guard;
  void (*run)(struct task *);
};
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void step(struct task *task) {
  pthread_mutex_lock(task->guard);  //@ B
  x += task->id;
  pthread_mutex_unlock(task->guard);
}
struct task pending[8];
int used;
void post(const struct task *task) { memcpy(&pending[used++], task, sizeof *task); }
void *one(void *arg) {
  struct task mine = pending[0];
  pthread_mutex_lock(&a_lock);  //@ A
  mine.run(&mine);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  struct task task = {1, &b_lock, step};
  post(&task);
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
