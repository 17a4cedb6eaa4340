/* Blocks from every allocation function; each free comes before the block is given out again. */
#include <malloc.h>
#include <string.h>

#include "check.h"

static void* volatile keep;

int main(void) {
  keep = malloc(1001);
  free(keep);
  keep = calloc(3, 1002);
  keep = realloc(keep, 9000);
  free(keep);
  keep = reallocarray(NULL, 2, 1003);
  free(keep);
  void* block = NULL;
  CHECK(posix_memalign(&block, 256, 1004) == 0);
  CHECK((unsigned long)block % 256 == 0);
  free(block);
  keep = aligned_alloc(64, 1024);
  free(keep);
  keep = memalign(128, 1005);
  free(keep);
  keep = valloc(1006);
  free(keep);
  keep = strdup("text");
  free(keep);
  free(NULL);
  CHECK(posix_memalign(&block, 3, 8) != 0);
  puts("done");
  return 0;
}
