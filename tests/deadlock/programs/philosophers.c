// Dining philosophers: neighbours in an array.
// expect: class A-B
#include <pthread.h>
#define N 5
pthread_mutex_t forks[N];
int meals;
void *philosopher(void *arg) {
  long i = (long)arg;
  pthread_mutex_lock(&forks[i]);            //@ A
  pthread_mutex_lock(&forks[(i + 1) % N]);  //@ B
  meals++;
  pthread_mutex_unlock(&forks[(i + 1) % N]);
  pthread_mutex_unlock(&forks[i]);
  return 0;
}
int main() {
  pthread_t t[N];
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, philosopher, (void *)i);
  for (long i = 0; i < N; i++) pthread_join(t[i], 0);
}
