// C11 threads and mutexes.
// expect: cycle A-B C-D
#include <threads.h>
mtx_t a_lock, b_lock;
int x;
int one(void *arg) {
  mtx_lock(&a_lock);  //@ A
  mtx_lock(&b_lock);  //@ B
  x++;
  mtx_unlock(&b_lock);
  mtx_unlock(&a_lock);
  return 0;
}
int two(void *arg) {
  mtx_lock(&b_lock);  //@ C
  mtx_lock(&a_lock);  //@ D
  x++;
  mtx_unlock(&a_lock);
  mtx_unlock(&b_lock);
  return 0;
}
int main() {
  mtx_init(&a_lock, mtx_plain);
  mtx_init(&b_lock, mtx_plain);
  thrd_t a, b;
  thrd_create(&a, one, 0);
  thrd_create(&b, two, 0);
  thrd_join(a, 0);
  thrd_join(b, 0);
}
