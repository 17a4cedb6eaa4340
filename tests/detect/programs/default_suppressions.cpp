// The program's own word on what is to be reported.
#include <thread>

#include "steps.h"
int counter;
#ifndef BUG
extern "C" const char* __tsan_default_suppressions() { return "race:Statistics\n"; }
#endif
__attribute__((noinline)) static void Statistics() { ++counter; }
int main() {
  std::thread a([] {
    Statistics();
    NextStep();
  });
  WaitStep(1);
  Statistics();
  a.join();
}
