#include <thread>

#include "steps.h"

struct Made {
  int value = 5;
  int extra[100] = {1};
};
Made& Get() {
  static Made made;
  return made;
}

int main() {
  std::thread first([] {
    Get().value = 6;
#ifdef BUG
    NextStep();
#endif
  });
#ifndef BUG
  first.join();
#else
  WaitStep(1);
#endif
  std::thread second([] { Get().value += 1; });
#ifdef BUG
  first.join();
#endif
  second.join();
}
