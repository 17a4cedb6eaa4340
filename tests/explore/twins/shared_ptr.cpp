// A shared_ptr that is copied before threads use it; the twin's threads use one object.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race
#include <memory>
#include <thread>
int main() {
  auto shared = std::make_shared<int>(1);
#ifdef BUG
  std::thread a([&] { shared.reset(); });
  std::thread b([&] { std::shared_ptr<int> copy = shared; });
#else
  std::thread a([copy = shared]() mutable { copy.reset(); });
  std::thread b([copy = shared]() mutable { copy.reset(); });
#endif
  a.join();
  b.join();
}
