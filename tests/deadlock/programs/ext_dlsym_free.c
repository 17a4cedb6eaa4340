// A function of a library that is loaded by name gets a structure with a callback; nothing is held.
// expect: none
#include <dlfcn.h>
#include <pthread.h>
struct ops { void (*g)(void); };
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static void g(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}
static struct ops ops = {g};
int main(void) {
  void (*enter)(struct ops *) = (void (*)(struct ops *))dlsym(RTLD_DEFAULT, "plugin_enter");
  if (enter == 0) return 1;
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  enter(&ops);
}
