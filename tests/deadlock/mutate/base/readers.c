// Read-write locks and a mutex.
#include <pthread.h>
pthread_rwlock_t r, s;
pthread_mutex_t m;
int x;
void *reader(void *arg) {
  pthread_rwlock_rdlock(&r);
  pthread_rwlock_rdlock(&s);
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  pthread_rwlock_unlock(&s);
  pthread_rwlock_unlock(&r);
  return 0;
}
void *writer(void *arg) {
  pthread_rwlock_wrlock(&r);
  pthread_rwlock_wrlock(&s);
  pthread_mutex_lock(&m);
  x--;
  pthread_mutex_unlock(&m);
  pthread_rwlock_unlock(&s);
  pthread_rwlock_unlock(&r);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, writer, 0);
  pthread_mutex_lock(&m);
  x = 5;
  pthread_mutex_unlock(&m);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
