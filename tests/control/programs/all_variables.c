// Looks at all of its environment, as interpreters do: it must be the same in a replay. What follows behind it on the
// stack is the kernel's auxiliary vector, where some programs look for it.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

extern char** environ;

int main(int argc, char** argv, char** variables) {
  (void)argc, (void)argv;
  char** entry = environ;
  for (; *entry != NULL; ++entry) printf("%s\n", *entry);
  unsigned long page = 0;
  for (const Elf64_auxv_t* about = (const Elf64_auxv_t*)(entry + 1); about->a_type != AT_NULL; ++about) {
    if (about->a_type == AT_PAGESZ) page = about->a_un.a_val;
  }
  printf("%d %d\n", variables == environ, page == getauxval(AT_PAGESZ));
  setenv("ADDED", "1", 1);
  printf("%s\n", getenv("ADDED"));
  return 0;
}
