// The fixed twin of omp_critical.c: critical sections are not entered under the lock.
// expect: none
// proof: yes
#include <pthread.h>
pthread_mutex_t b_lock = PTHREAD_MUTEX_INITIALIZER;
static int section_name[8];
extern void __kmpc_critical(void *, int, int *), __kmpc_end_critical(void *, int, int *);
static void *one(void *arg) {
  __kmpc_critical(0, 0, section_name);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  __kmpc_end_critical(0, 0, section_name);
  return 0;
}
static void *two(void *arg) {
  __kmpc_critical(0, 0, section_name);
  __kmpc_end_critical(0, 0, section_name);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
