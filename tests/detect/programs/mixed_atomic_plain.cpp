#include <thread>

#include "steps.h"

int word;

void First() {
  __atomic_store_n(&word, 1, __ATOMIC_RELAXED);
  NextStep();
}
void Second() {
  WaitStep(1);
#ifdef BUG
  word = 2;
#else
  __atomic_store_n(&word, 2, __ATOMIC_RELAXED);
#endif
}

int main() {
  std::thread first(First);
  std::thread second(Second);
  first.join();
  second.join();
}
