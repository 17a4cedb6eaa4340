// A descriptor is closed while another thread may still use it.
#include <unistd.h>

#include <thread>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 2;
  std::thread writer([&] {
    if (write(ends[1], "x", 1) != 1) return;
  });
#ifndef BUG
  writer.join();
#endif
  close(ends[1]);
#ifdef BUG
  writer.join();
#endif
  close(ends[0]);
}
