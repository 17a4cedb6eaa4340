// Writes the number of a child into a file and goes on for ever, as the child does. It ignores SIGTERM. With a second
// word it sends SIGTERM to its parent as soon as it can.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void* Wait(void* unused) {
  for (;;) pause();
  return unused;
}

int main(int count, char** words) {
  signal(SIGTERM, SIG_IGN);
  pid_t child = fork();
  if (child == 0) Wait(0);
  if (count > 1) {
    FILE* out = fopen(words[1], "w");
    if (out == NULL) return 1;
    fprintf(out, "%d\n", (int)child);
    fclose(out);
  }
  if (count > 2) kill(getppid(), SIGTERM);
  pthread_t thread;
  pthread_create(&thread, 0, Wait, 0);
  Wait(0);
}
