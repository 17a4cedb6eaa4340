// std::jthread stops by its token; the twin waits for a flag that nobody sets.
// EXPLORE: -std=c++20 -> findings=none
// EXPLORE: -std=c++20 -DBUG -> findings=livelock
#include <atomic>
#include <thread>
std::atomic<bool> stop;
int main() {
  std::jthread worker([](std::stop_token token) {
#ifdef BUG
    (void)token;
    while (!stop.load()) {
    }
#else
    while (!token.stop_requested() && !stop.load()) {
    }
#endif
  });
#ifndef BUG
  stop.store(true);
#endif
}
