// libuv's mutexes and threads.
// expect: cycle A-B C-D
#include <pthread.h>
typedef pthread_mutex_t uv_mutex_t;
typedef pthread_t uv_thread_t;
int uv_mutex_init(uv_mutex_t *);
void uv_mutex_lock(uv_mutex_t *), uv_mutex_unlock(uv_mutex_t *);
int uv_thread_create(uv_thread_t *, void (*)(void *), void *), uv_thread_join(uv_thread_t *);
uv_mutex_t a_lock, b_lock;
int x;
void one(void *arg) {
  uv_mutex_lock(&a_lock);  //@ A
  uv_mutex_lock(&b_lock);  //@ B
  x++;
  uv_mutex_unlock(&b_lock);
  uv_mutex_unlock(&a_lock);
}
void two(void *arg) {
  uv_mutex_lock(&b_lock);  //@ C
  uv_mutex_lock(&a_lock);  //@ D
  x++;
  uv_mutex_unlock(&a_lock);
  uv_mutex_unlock(&b_lock);
}
int main() {
  uv_thread_t a, b;
  uv_mutex_init(&a_lock);
  uv_mutex_init(&b_lock);
  uv_thread_create(&a, one, 0);
  uv_thread_create(&b, two, 0);
  uv_thread_join(&a);
  uv_thread_join(&b);
}
