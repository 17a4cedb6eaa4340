// A look at what the once routine makes, without passing it.
#include <mutex>
#include <thread>
std::once_flag once;
int data;
int main() {
  auto work = [] {
#ifdef BUG
    if (data == 0) std::call_once(once, [] { data = 1; });
#else
    std::call_once(once, [] { data = 1; });
    if (data != 1) __builtin_abort();
#endif
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
