// The process ends by quick_exit, whose handlers run while another thread goes on: what that one writes may be there or not.
// EXPLORE: -DBUG -> findings=assertion
// EXPLORE: -> executions=6
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
static std::atomic<int> g_value;
static void AtEnd() {
#ifdef BUG
  assert(g_value == 0);
#else
  assert(g_value < 2);
#endif
}
int main() {
  std::at_quick_exit(AtEnd);
  std::thread([] { g_value = 1; }).detach();
  std::quick_exit(0);
}
