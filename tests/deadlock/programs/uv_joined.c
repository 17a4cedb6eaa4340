// libuv: the other order comes when the thread is over, and readers do not keep readers out.
// expect: none
#include <pthread.h>
typedef pthread_mutex_t uv_mutex_t;
typedef pthread_rwlock_t uv_rwlock_t;
typedef pthread_t uv_thread_t;
void uv_mutex_lock(uv_mutex_t *), uv_mutex_unlock(uv_mutex_t *);
void uv_rwlock_rdlock(uv_rwlock_t *), uv_rwlock_rdunlock(uv_rwlock_t *);
int uv_thread_create(uv_thread_t *, void (*)(void *), void *), uv_thread_join(uv_thread_t *);
uv_mutex_t a_lock, b_lock;
uv_rwlock_t c_lock, d_lock;
int x;
void one(void *arg) {
  uv_mutex_lock(&a_lock);
  uv_mutex_lock(&b_lock);
  x++;
  uv_mutex_unlock(&b_lock);
  uv_mutex_unlock(&a_lock);
  uv_rwlock_rdlock(&c_lock);
  uv_rwlock_rdlock(&d_lock);
  uv_rwlock_rdunlock(&d_lock);
  uv_rwlock_rdunlock(&c_lock);
}
int main() {
  uv_thread_t a;
  uv_thread_create(&a, one, 0);
  uv_rwlock_rdlock(&d_lock);
  uv_rwlock_rdlock(&c_lock);
  uv_rwlock_rdunlock(&c_lock);
  uv_rwlock_rdunlock(&d_lock);
  uv_thread_join(&a);
  uv_mutex_lock(&b_lock);
  uv_mutex_lock(&a_lock);
  uv_mutex_unlock(&a_lock);
  uv_mutex_unlock(&b_lock);
}
