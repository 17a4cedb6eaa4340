// A function of a library that is loaded by name gets a structure with a callback, which it may call while its caller
// holds the lock.
// expect: self A-B
#include <dlfcn.h>
#include <pthread.h>
struct ops { void (*g)(void); };
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static void g(void) {
  pthread_mutex_lock(&a);  //@ B
  pthread_mutex_unlock(&a);
}
static struct ops ops = {g};
int main(void) {
  void (*enter)(struct ops *) = (void (*)(struct ops *))dlsym(RTLD_DEFAULT, "plugin_enter");
  if (enter == 0) return 1;
  pthread_mutex_lock(&a);  //@ A
  enter(&ops);
  pthread_mutex_unlock(&a);
}
