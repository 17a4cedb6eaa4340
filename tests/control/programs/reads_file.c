// Prints what a file has: a replay prints something else when the file has changed, and performs the same steps.
#include <stdio.h>

int main(void) {
  char line[64];
  FILE* file = fopen("reads_file.txt", "r");
  if (file == NULL || fgets(line, sizeof line, file) == NULL) return 2;
  printf("first\n");
  printf("file: %s", line);
  printf("last\n");
  return 0;
}
