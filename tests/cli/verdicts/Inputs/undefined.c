// With BUG: a data race, and a shift that the language does not define.
#include <pthread.h>

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static int g_places = 29;

static void* Work(void* unused) {
#ifndef BUG
  pthread_mutex_lock(&g_lock);
#endif
  ++g_places;
#ifndef BUG
  pthread_mutex_unlock(&g_lock);
#endif
  return unused;
}

int main(void) {
  pthread_t a;
  pthread_t b;
  pthread_create(&a, NULL, Work, NULL);
  pthread_create(&b, NULL, Work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#ifdef BUG
  return (1 << g_places) == 0;
#else
  return (1 << (g_places - 1)) == 0;
#endif
}
