/* Mapped memory, grown and given back; mmap64 is what programs with large file offsets call. */
#include <sys/mman.h>

#include "check.h"

int main(void) {
  char* page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  page[0] = 1;
  CHECK(munmap(page, 8192) == 0);
  page = mmap64(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  page = mremap(page, 4096, 16384, MREMAP_MAYMOVE);
  CHECK(page != MAP_FAILED);
  CHECK(munmap(page, 16384) == 0);
  CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
  puts("done");
  return 0;
}
