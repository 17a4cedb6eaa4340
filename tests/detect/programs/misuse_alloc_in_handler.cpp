// Allocating in a handler may meet an allocation that it interrupted.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
volatile sig_atomic_t seen;
void* kept;
static void OnSignal(int) {
#ifdef BUG
  kept = malloc(8);
#endif
  seen = 1;
}
int main() {
  signal(SIGUSR1, OnSignal);
  kill(getpid(), SIGUSR1);
  while (!seen) {
  }
#ifndef BUG
  kept = malloc(8);
#endif
  free(kept);
}
