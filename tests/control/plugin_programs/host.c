// A program in C that loads a plugin in C++, and with it the C++ library, for itself alone.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef unsigned (*Use)(void);

static void* Call(void* use) {
  printf("%u\n", ((Use)use)());
  return NULL;
}

int main(int argc, char** argv) {
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void* use = plugin == NULL ? NULL : dlsym(plugin, "Used");
  if (use == NULL) return 2;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Call, use);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
