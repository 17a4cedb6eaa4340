/* An instrumented library that is loaded while the program runs; its constructor locks, its memory is watched. */
#include <dlfcn.h>
#include <pthread.h>

#include "check.h"

int main(void) {
  void* library = dlopen(LIBRARY, RTLD_NOW);
  if (library == NULL) puts(dlerror());
  CHECK(library != NULL);
  void* (*work)(void*) = (void* (*)(void*))dlsym(library, "Work");
  CHECK(work != NULL);
  pthread_t thread;
  int argument = 20;
  pthread_create(&thread, NULL, work, &argument);
  pthread_join(thread, NULL);
  CHECK(dlclose(library) == 0);
  printf("%d\n", argument);
  return 0;
}
