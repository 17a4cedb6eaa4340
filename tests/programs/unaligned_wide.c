/* Unaligned accesses of 16 bytes all over the address space: wherever the inline look goes, it stays inside the filter. */
#include <stdint.h>
#include <sys/mman.h>

#include "check.h"

enum { kStep = 32768, kSteps = 1024 };

typedef __int128 __attribute__((aligned(1))) loose;

int main(void) {
  size_t bytes = (size_t)kStep * (kSteps + 2);
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  char* begin = (char*)(((uintptr_t)memory + kStep - 1) & ~(uintptr_t)(kStep - 1));
  for (int i = 1; i <= kSteps; i++) *(loose*)(begin + (size_t)i * kStep - 4) = i;
  puts("done");
  return 0;
}
