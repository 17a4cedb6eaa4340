// OpenSSL's locks in one order.
// expect: none
#include <pthread.h>
typedef void CRYPTO_RWLOCK;
CRYPTO_RWLOCK *CRYPTO_THREAD_lock_new(void);
int CRYPTO_THREAD_read_lock(CRYPTO_RWLOCK *), CRYPTO_THREAD_write_lock(CRYPTO_RWLOCK *), CRYPTO_THREAD_unlock(CRYPTO_RWLOCK *);
CRYPTO_RWLOCK *a_lock, *b_lock;
int x;
void *one(void *arg) {
  if (!CRYPTO_THREAD_write_lock(a_lock)) return 0;
  if (CRYPTO_THREAD_read_lock(b_lock)) {
    x++;
    CRYPTO_THREAD_unlock(b_lock);
  }
  CRYPTO_THREAD_unlock(a_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  a_lock = CRYPTO_THREAD_lock_new();
  b_lock = CRYPTO_THREAD_lock_new();
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, one, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
