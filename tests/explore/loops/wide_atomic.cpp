// A struct that no instruction can load: libatomic's calls are operations too.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <atomic>
#include <cassert>
#include <thread>
struct Wide {
  int count, b, c;
};
static std::atomic<Wide> wide;
static void Add() {
  Wide now = wide.load();
#ifdef BUG
  ++now.count;
  wide.store(now);
#else
  Wide more;
  do {
    more = now;
    ++more.count;
  } while (!wide.compare_exchange_strong(now, more));
#endif
}
int main() {
  std::thread other(Add);
  Add();
  other.join();
  assert(wide.load().count == 2);
}
