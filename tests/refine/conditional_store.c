#include <pthread.h>
pthread_mutex_t m;
int limit, best, a[16];
void thread(void) {
  pthread_mutex_lock(&m);
  int l = limit;
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 16; i++)
    if (a[i] > l) best = a[i];
}
