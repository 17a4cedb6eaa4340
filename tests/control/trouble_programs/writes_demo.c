// Writes files into the folder of its own recording, also under the names that the recording will use.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void* nothing(void* argument) { return argument; }

int main(int count, char** words) {
  const char* names[] = {"notes", "QUEUE", "SYSCALL"};
  for (int i = 0; i < 3 && count > 1; ++i) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", words[1], names[i]);
    FILE* file = fopen(path, "w");
    if (!file) return 1;
    fputs("written by the program\n", file);
    fclose(file);
  }
  pthread_t thread;
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, 0);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  printf("%ld\n", now.tv_nsec);
  return 0;
}
