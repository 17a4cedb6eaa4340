/* The library of dlopen.c. */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;
char text[100]; /* seen from outside, so that the compiler keeps what is written to it */

__attribute__((constructor)) static void Loaded(void) {
  pthread_mutex_lock(&mutex);
  total = 1;
  pthread_mutex_unlock(&mutex);
}

void* Work(void* argument) {
  pthread_mutex_lock(&mutex);
  total += *(int*)argument;
  *(int*)argument = total;
  memset(text, total, (size_t)total);
  pthread_mutex_unlock(&mutex);
  return NULL;
}
