// A library that runs functions of a structure, in threads of its own.
#include <pthread.h>
struct ops { int version; void (*on_event)(void *); void *data; };
struct counter { int events; pthread_mutex_t m; } counter = {0, PTHREAD_MUTEX_INITIALIZER};
extern void lib_serve(const struct ops *);
static void on_event(void *data) {
  struct counter *mine = data;
#ifdef FIXED
  pthread_mutex_lock(&mine->m);
#endif
  mine->events++;  //@ A
#ifdef FIXED
  pthread_mutex_unlock(&mine->m);
#endif
}
int main(void) {
  struct ops ops = {1, on_event, &counter};
  lib_serve(&ops);
  return 0;
}
// expect: counter.events A-A
