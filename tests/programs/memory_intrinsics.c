/* Copies that the compiler makes by itself: of structures, and builtin memory functions of variable length. */
#include <string.h>

#include "check.h"

struct big {
  char bytes[300];
};

static struct big from;
static struct big to;
static struct big other;
static volatile size_t length = 50;

int main(void) {
  memset(&from, 1, length);
  to = from;
  memmove(&other, &from, length);
  printf("%d\n", to.bytes[49] + other.bytes[49]);
  return 0;
}
