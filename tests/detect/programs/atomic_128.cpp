#include <thread>

#include "steps.h"

__extension__ typedef unsigned __int128 Wide;

int data;
alignas(16) Wide flag;

void First() {
  data = 1;
#ifdef BUG
  __atomic_store_n(&flag, Wide{1} << 100, __ATOMIC_RELAXED);
#else
  __atomic_store_n(&flag, Wide{1} << 100, __ATOMIC_RELEASE);
#endif
  NextStep();
}
void Second() {
  WaitStep(1);
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == Wide{1} << 100) data = 2;
}

int main() {
  std::thread first(First);
  std::thread second(Second);
  first.join();
  second.join();
}
