// The same with a branch.
// expect: none
#include <pthread.h>
pthread_mutex_t locks[8];
long sums[8];
void transfer(int i, int j) {
  if (i < j) {
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_lock(&locks[j]);
    sums[i]++;
  } else {
    pthread_mutex_lock(&locks[j]);
    pthread_mutex_lock(&locks[i]);
    sums[j]++;
  }
  pthread_mutex_unlock(&locks[i]);
  pthread_mutex_unlock(&locks[j]);
}
void *work(void *arg) {
  transfer((long)arg, 3);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, work, (void *)1);
  pthread_create(&b, 0, work, (void *)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
