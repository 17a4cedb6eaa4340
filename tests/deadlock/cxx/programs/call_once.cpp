#include <mutex>
#include <thread>
std::once_flag once;
int value;
void Work() {
#ifdef FIXED
  std::call_once(once, [] { value = 1; });
#else
  value = 1;
#endif
  volatile int seen = value;
  (void)seen;
}
int main() {
  std::thread one(Work), two(Work);
  one.join();
  two.join();
}
// expect: race value
