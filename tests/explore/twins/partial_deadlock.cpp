// Two threads that nobody waits for take two locks in both orders, while main ends the program.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <mutex>
#include <thread>

static std::mutex a;
static std::mutex b;

static void take(std::mutex* first, std::mutex* second) {
  std::lock_guard<std::mutex> outer(*first);
  std::lock_guard<std::mutex> inner(*second);
}

int main() {
  std::thread(take, &a, &b).detach();
#ifdef BUG
  std::thread(take, &b, &a).detach();
#else
  std::thread(take, &a, &b).detach();
#endif
}
