#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long cells[4096];
int main(void) {
  unsigned long random = 1;
  for (int i = 0; i < 6000000; ++i) {
    if (i % 4 == 0) pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex);
    random = random * 6364136223846793005UL + 1442695040888963407UL;
    cells[random >> 52] += 1;
  }
  puts("ran to the end");
  return 0;
}
