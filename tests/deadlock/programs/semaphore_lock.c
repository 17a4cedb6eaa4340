// A semaphore used as a lock.
// options: --semaphores
// expect: cycle A-B C-D
#include <pthread.h>
#include <semaphore.h>
sem_t s;
pthread_mutex_t m;
int x;
void *one(void *arg) {
  sem_wait(&s);            //@ A
  pthread_mutex_lock(&m);  //@ B
  x++;
  pthread_mutex_unlock(&m);
  sem_post(&s);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&m);  //@ C
  sem_wait(&s);            //@ D
  x++;
  sem_post(&s);
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  sem_init(&s, 0, 1);
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
