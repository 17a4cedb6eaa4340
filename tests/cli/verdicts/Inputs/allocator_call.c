// Asks the library by its own name, and gives back by the usual one.
#include <stdlib.h>

void* own_alloc(size_t bytes);

int main(void) {
  char* block = own_alloc(32);
  block[3] = 1;
  free(block);
  return 0;
}
