// A mutex in memory that was given back.
#include <pthread.h>
#include <stdlib.h>
int main() {
  auto* m = static_cast<pthread_mutex_t*>(malloc(sizeof(pthread_mutex_t)));
  pthread_mutex_init(m, nullptr);
#ifdef BUG
  pthread_mutex_destroy(m);
  free(m);
  pthread_mutex_lock(m);
#else
  pthread_mutex_lock(m);
  pthread_mutex_unlock(m);
  pthread_mutex_destroy(m);
  free(m);
#endif
}
