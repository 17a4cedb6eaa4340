// A function of the program itself, by name.
// expect: self A-B
#include <dlfcn.h>
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
void hook(void) {
  pthread_mutex_lock(&a);  //@ B
  pthread_mutex_unlock(&a);
}
int main(void) {
  void (*f)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "hook");
  hook();
  pthread_mutex_lock(&a);  //@ A
  if (f != 0) f();
  pthread_mutex_unlock(&a);
}
