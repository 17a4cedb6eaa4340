// Every form of new and delete: memory that is only used again is not shared.
#include <new>
#include <thread>
#include <vector>

#include "steps.h"
struct alignas(64) Wide {
  int words[16];
};
int* shared;
static void Work() {
  for (int i = 0; i < 50; ++i) {
    int* one = new int(i);
    int* many = new (std::nothrow) int[20];
    Wide* wide = new Wide{};
    Wide* wides = new (std::nothrow) Wide[2];
    many[3] = wide->words[1] = wides[1].words[2] = *one;
    delete one;
    delete[] many;
    delete wide;
    delete[] wides;
    std::vector<int> grown(static_cast<size_t>(i) + 1, 7);
    grown.push_back(1);
  }
}
int main() {
  shared = new int(1);
  std::thread other([] {
    Work();
#ifdef BUG
    *shared = 2;
#endif
    NextStep();
  });
  Work();
  WaitStep(1);
#ifdef BUG
  delete shared;
  other.join();
#else
  other.join();
  delete shared;
#endif
}
