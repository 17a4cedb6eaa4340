/* The program's own events, through heddle's header. */
#include <heddle/heddle.h>

#include "check.h"

int main(void) {
  HEDDLE_EVENT("phase", 1);
  for (long i = -1; i < 2; ++i) HEDDLE_EVENT("step", i);
  HEDDLE_EVENT("phase", 2);
  puts("done");
  return 0;
}
