// A lock of OpenMP and a mutex in two orders.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t b_lock = PTHREAD_MUTEX_INITIALIZER;
typedef struct {
  void *word;
} omp_lock_t;
extern void omp_init_lock(omp_lock_t *), omp_set_lock(omp_lock_t *), omp_unset_lock(omp_lock_t *);
static omp_lock_t section;
static void *one(void *arg) {
  omp_set_lock(&section);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  pthread_mutex_unlock(&b_lock);
  omp_unset_lock(&section);
  return 0;
}
static void *two(void *arg) {
  pthread_mutex_lock(&b_lock);  //@ C
  omp_set_lock(&section);  //@ D
  omp_unset_lock(&section);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  omp_init_lock(&section);
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
