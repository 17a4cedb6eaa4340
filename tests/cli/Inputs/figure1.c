// Figure 1 of "Stream-based dynamic data race detection": f increments x with the lock, g without. The joins make the
// order of the paper's session: first all of f, then all of g.
#include <pthread.h>
#include <stdio.h>

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void* f(void* unused) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
  }
  return unused;
}

static void* g(void* unused) {
  for (int i = 0; i < 100; i++) x++;  // line 19, as in the paper
  return unused;
}

int main(void) {
  void* (*const start[])(void*) = {f, g};
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, start[i], NULL) != 0) return 2;
    pthread_join(thread, NULL);
  }
  printf("x= %d\n", x);
  return 0;
}
