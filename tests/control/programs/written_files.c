// Writes, appends, renames, removes, maps and reads back its own files, and removes its input: what a replay must not do
// to the user's. It prints what it sees.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void* work(void* unused) {
  char text[64] = "";
  FILE* input = fopen("input.txt", "r");
  if (input == NULL || fgets(text, sizeof text, input) == NULL) exit(2);
  printf("input %s", text);
  fclose(input);

  FILE* out = fopen("output.txt", "w");
  fprintf(out, "from %s", text);
  fclose(out);
  FILE* log = fopen("log.txt", "a");
  fprintf(log, "more\n");
  printf("log is at %ld\n", ftell(log));
  fclose(log);

  int own = open("output.txt", O_RDWR);
  ssize_t n = read(own, text, sizeof text - 1);
  printf("read back %zd: %.*s", n, (int)n, text);
  printf("end at %ld\n", (long)lseek(own, 0, SEEK_END));
  if (write(own, "tail\n", 5) != 5) exit(2);
  char* map = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, own, 0);
  printf("mapped %.4s\n", map);
  memcpy(map, "FROM", 4);
  munmap(map, 16);
  if (pread(own, text, 4, 0) == 4) printf("changed to %.4s\n", text);
  close(own);

  printf("%d %d\n", mkdir("made", 0700), rename("output.txt", "made/final.txt"));
  DIR* folder = opendir("made");
  for (struct dirent* entry = NULL; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] != '.') printf("has %s\n", entry->d_name);
  }
  closedir(folder);
  int again = open("made/final.txt", O_RDONLY);
  n = read(again, text, sizeof text - 1);
  printf("final %.*s", (int)n, text);
  close(again);
  printf("%d %d\n", unlink("input.txt"), access("input.txt", F_OK));
  printf("%d\n", open("absent.txt", O_RDONLY));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  return 0;
}
