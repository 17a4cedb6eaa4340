#include <atomic>
#include <thread>
#ifdef FIXED
std::atomic<int> value;
#else
int value;
#endif
void Work() { ++value; }
int main() {
  std::thread one(Work), two(Work);
  one.join();
  two.join();
}
// expect: race value
