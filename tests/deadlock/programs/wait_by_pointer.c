// The functions of a barrier and a semaphore are called through a table.
// proof: no
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;
struct operations {
  int (*wait)(sem_t*);
  int (*post)(sem_t*);
};
static const struct operations operations[2] = {{sem_wait, sem_post}, {sem_trywait, sem_post}};
static int chosen;
static void* first(void* x) {
  pthread_mutex_lock(&lock);
  operations[chosen].wait(&ready);
  pthread_mutex_unlock(&lock);
  return x;
}
static void* second(void* x) {
  pthread_mutex_lock(&lock);
  operations[chosen].post(&ready);
  pthread_mutex_unlock(&lock);
  return x;
}
int main(void) {
  pthread_t one, two;
  sem_init(&ready, 0, 0);
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
// expect: none
