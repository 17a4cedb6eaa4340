// A little interpreter with computed gotos.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t a_lock, b_lock;
int x;
void run(const char *code) {
  static void *ops[] = {&&op_a, &&op_b, &&op_end};
  goto *ops[(int)*code++];
op_a:
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  x++;
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  goto *ops[(int)*code++];
op_b:
  pthread_mutex_lock(&b_lock);  //@ C
  x ^= 5;
  pthread_mutex_lock(&a_lock);  //@ D
  x = x / 3 + 7;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  goto *ops[(int)*code++];
op_end:
  return;
}
void *work(void *arg) {
  run(arg);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, work, "\0\2");
  pthread_create(&b, 0, work, "\1\2");
  pthread_join(a, 0);
  pthread_join(b, 0);
}
