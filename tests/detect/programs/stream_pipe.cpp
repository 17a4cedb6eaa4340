// Streams of stdio over a pipe: libc's own calls of read and write order their threads too.
#include <stdio.h>
#include <unistd.h>

#include <thread>

#include "steps.h"
int data;
int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread reader([&] {
    FILE* in = fdopen(ends[0], "r");
    char line[32];
    if (fgets(line, sizeof line, in) != nullptr) WaitStep(1);
    ++data;
    fclose(in);
  });
  FILE* out = fdopen(ends[1], "w");
#ifndef BUG
  data = 1;
#endif
  fprintf(out, "%d\n", 7);
  fflush(out);
#ifdef BUG
  data = 1;
#endif
  NextStep();
  reader.join();
  fclose(out);
}
