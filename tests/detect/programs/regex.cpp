// Each thread has its own expression. The table of letters behind them is the library's, and filled by whoever comes.
#include <regex>
#include <string>
#include <thread>

#include "steps.h"
int matches = 0;
void Match(const char* text) {
  std::regex pattern("[a-z]+(b|c)");
  bool found = std::regex_search(text, pattern);
#ifdef BUG
  if (found) ++matches;
#else
  (void)found;
#endif
  NextStep();
}
int main() {
  std::thread a(Match, "aab");
  std::thread b(Match, "ccc");
  WaitStep(2);
  a.join();
  b.join();
}
