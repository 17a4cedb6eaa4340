/* What memcpy and its family read and write on behalf of the program. Each works on bytes of its own: what a segment has
 * accessed before is not recorded again. */
#include <string.h>

#include "check.h"

static char a[64];
static char b[64];
static char source[64];
static char c[64];
static char d[64];
static char hello[] = "hello";
static char alpha[] = "alpha";
static char beta[] = "beta";
static char four[] = "four+";
static volatile size_t ten = 10;

int main(void) {
  memset(a, 'x', ten);
  memcpy(b, source, ten);
  memmove(b + 1, source + 32, ten);
  CHECK(memcmp(source + 16, source + 48, ten) == 0);
  strcpy(c, "four");
  strncpy(d, "one", ten);
  strcat(c, "+");
  CHECK(strlen(hello) == 5);
  CHECK(strcmp(alpha, beta) != 0);
  CHECK(strncmp(four, "four-", ten) != 0);
  memset(a, 'y', ten); /* again: nothing new */
  puts(c);
  return 0;
}
