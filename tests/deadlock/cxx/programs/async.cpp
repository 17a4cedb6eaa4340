#include <future>
int value;
int main() {
  std::future<int> result = std::async(std::launch::async, [] {
    value = 1;
    return 1;
  });
#ifdef FIXED
  result.get();
  return value;
#else
  int seen = value;
  result.get();
  return seen;
#endif
}
// expect: race value
// alarm when fixed: because the library hands the result over by a flag
