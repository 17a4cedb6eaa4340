// Another function of the program, by name: it locks nothing.
// expect: none
#include <dlfcn.h>
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
int calls;
void hook(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}
void other(void) { calls++; }
int main(void) {
  void (*f)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "other");
  hook();
  other();
  pthread_mutex_lock(&a);
  if (f != 0) f();
  pthread_mutex_unlock(&a);
}
