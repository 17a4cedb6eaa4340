// Starts itself by a shell: system and popen, whose environment is libc's own choice.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc > 1) {
    printf("child %s\n", argv[1]);
    return 0;
  }
  char command[4096];
  char line[100];
  snprintf(command, sizeof command, "%s one", argv[0]);
  int status = system(command);
  snprintf(command, sizeof command, "%s two", argv[0]);
  FILE* from = popen(command, "r");
  while (from != NULL && fgets(line, sizeof line, from) != NULL) printf("got %s", line);
  int ended = from == NULL ? -1 : pclose(from);
  printf("%d %d %s\n", status, ended, getenv("HEDDLE_OWNER") == NULL ? "hidden" : "seen");
  return 0;
}
