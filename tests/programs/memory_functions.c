/* What memcpy and its family read and write on behalf of the program. */
#include <string.h>

#include "check.h"

static char a[64];
static char b[64];
static volatile size_t ten = 10;

int main(void) {
  memset(a, 'x', ten);
  memcpy(b, a, ten);
  memmove(b + 1, b, ten);
  CHECK(memcmp(a, b, ten) == 0);
  strcpy(a, "four");
  strncpy(b, "one", ten);
  strcat(a, "+");
  CHECK(strlen(a) == 5);
  CHECK(strcmp(a, b) != 0);
  CHECK(strncmp(a, "four-", ten) != 0);
  puts(a);
  return 0;
}
