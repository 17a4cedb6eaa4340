#include <thread>
int value;
int main() {
#ifdef FIXED
  {
    std::jthread worker([] { value = 1; });
  }
  return value;
#else
  std::jthread worker([] { value = 1; });
  return value;
#endif
}
// expect: race value
