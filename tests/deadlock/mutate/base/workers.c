// Several threads of one function, an array of locks by number, joined in a loop.
#include <pthread.h>
pthread_mutex_t locks[3];
int x;
void *work(void *arg) {
  pthread_mutex_lock(&locks[0]);
  pthread_mutex_lock(&locks[1]);
  x++;
  pthread_mutex_unlock(&locks[1]);
  pthread_mutex_unlock(&locks[0]);
  pthread_mutex_lock(&locks[1]);
  pthread_mutex_lock(&locks[2]);
  x--;
  pthread_mutex_unlock(&locks[2]);
  pthread_mutex_unlock(&locks[1]);
  return 0;
}
int main() {
  pthread_t t[2];
  pthread_create(&t[0], 0, work, 0);
  pthread_create(&t[1], 0, work, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  pthread_mutex_lock(&locks[2]);
  pthread_mutex_lock(&locks[0]);
  x = 3;
  pthread_mutex_unlock(&locks[0]);
  pthread_mutex_unlock(&locks[2]);
}
