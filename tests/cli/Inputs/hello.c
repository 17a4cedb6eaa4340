#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int Other(void);
int main(void) {
  pthread_mutex_lock(&mutex);
  printf("hello %d\n", Other());
  pthread_mutex_unlock(&mutex);
  return 0;
}
