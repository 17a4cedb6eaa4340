// The same without a mistake: the routine that each thread gets matters.
// expect: none
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
struct task {
  int id;
  void (*run)(struct task *);
};
void run_a(struct task *t) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  t->id++;
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
}
void run_b(struct task *t) {
  pthread_mutex_lock(&b_lock);
  t->id++;
  pthread_mutex_unlock(&b_lock);
}
void *work(void *arg) {
  struct task *t = arg;
  t->run(t);
  return 0;
}
int main() {
  pthread_t a, b;
  struct task *p = malloc(sizeof *p), *q = malloc(sizeof *q);
  p->run = run_a;
  q->run = run_b;
  pthread_create(&a, 0, work, p);
  pthread_create(&b, 0, work, q);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
