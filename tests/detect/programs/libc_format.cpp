// snprintf reads its arguments' texts. The bug: one is changed meanwhile.
#include <cstdio>
#include <cstring>
#include <thread>

static char name[16] = "before";

int main() {
  std::thread printer([] {
    char line[64];
    std::snprintf(line, sizeof line, "%d %s", 1, name);
  });
#ifdef BUG
  name[2] = 'x';
#endif
  printer.join();
  int number = 0;
  char word[8];
  std::thread scanner([&] { std::sscanf("7 words", "%d %7s", &number, word); });
#ifdef BUG
  number = 1;
#endif
  scanner.join();
  number = 2;
}
