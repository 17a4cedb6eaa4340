// read() writes its buffer. The bug: another thread uses the buffer before it is told.
#include <unistd.h>

#include <thread>

static char buffer[16];

int main() {
  int ends[2];
  if (pipe(ends) != 0 || write(ends[1], "hello", 5) != 5) return 2;
  std::thread reader([&] {
    if (read(ends[0], buffer, sizeof buffer) < 0) buffer[0] = 0;
  });
#ifdef BUG
  buffer[3] = 1;
#endif
  reader.join();
  buffer[3] = 2;
}
