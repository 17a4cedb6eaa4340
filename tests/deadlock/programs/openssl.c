// OpenSSL's locks, which it allocates itself.
// expect: cycle A-B C-D
#include <pthread.h>
typedef void CRYPTO_RWLOCK;
CRYPTO_RWLOCK *CRYPTO_THREAD_lock_new(void);
int CRYPTO_THREAD_read_lock(CRYPTO_RWLOCK *), CRYPTO_THREAD_write_lock(CRYPTO_RWLOCK *), CRYPTO_THREAD_unlock(CRYPTO_RWLOCK *);
CRYPTO_RWLOCK *a_lock, *b_lock;
int x;
void *one(void *arg) {
  if (!CRYPTO_THREAD_write_lock(a_lock)) return 0;  //@ A
  if (CRYPTO_THREAD_read_lock(b_lock)) {            //@ B
    x++;
    CRYPTO_THREAD_unlock(b_lock);
  }
  CRYPTO_THREAD_unlock(a_lock);
  return 0;
}
void *two(void *arg) {
  if (!CRYPTO_THREAD_write_lock(b_lock)) return 0;  //@ C
  if (CRYPTO_THREAD_write_lock(a_lock)) {           //@ D
    x++;
    CRYPTO_THREAD_unlock(a_lock);
  }
  CRYPTO_THREAD_unlock(b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  a_lock = CRYPTO_THREAD_lock_new();
  b_lock = CRYPTO_THREAD_lock_new();
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
