// std::call_once; the twin has a flag of its own.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
std::once_flag once;
std::atomic<bool> done;
std::atomic<int> calls;
void Make() {
#ifdef BUG
  if (!done.load()) {
    done.store(true);
    calls.fetch_add(1);
  }
#else
  std::call_once(once, [] { calls.fetch_add(1); });
#endif
}
int main() {
  std::thread a(Make), b(Make);
  a.join();
  b.join();
  assert(calls == 1);
}
