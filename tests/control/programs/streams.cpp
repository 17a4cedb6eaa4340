// What differs from run to run comes through stdio and C++ streams: a device, /proc, a socket behind fdopen.
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

std::atomic<int> g_rounds{0};

int main() {
  unsigned char seed = 0;
  FILE* device = fopen("/dev/urandom", "r");
  if (device == nullptr || fread(&seed, 1, 1, device) != 1 || fileno(device) < 0) return 1;
  fclose(device);
  // The number of steps depends on it.
  std::thread worker([&] {
    for (int i = 0; i < 5 + seed % 50; ++i) ++g_rounds;
  });
  worker.join();
  std::string words;
  std::ifstream proc("/proc/self/stat");
  std::getline(proc, words);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  std::thread sender([&] {
    if (write(pair[1], "line\n", 5) != 5) abort();
    close(pair[1]);
  });
  FILE* socket = fdopen(pair[0], "r");
  char line[16] = {};
  if (fgets(line, sizeof line, socket) == nullptr) return 1;
  sender.join();
  fclose(socket);
  printf("%d %d %s%s\n", seed, g_rounds.load(), line, words.c_str());
}
