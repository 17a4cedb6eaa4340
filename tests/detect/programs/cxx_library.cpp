// Strings and streams work in code of the C++ library, which is not instrumented.
#include <sstream>
#include <string>
#include <thread>

#include "steps.h"
std::ostringstream stream;
std::string text = "some text of the program";
int main() {
  std::thread other([] {
#ifdef BUG
    stream << "something" << 12345;
#endif
    NextStep();
  });
#ifndef BUG
  other.join();
#endif
  WaitStep(1);
  stream << "something else" << 67890;
  text.replace(0, 4, "another");
#ifdef BUG
  other.join();
#endif
  return stream.str().empty() ? 1 : 0;
}
