#include <mutex>
#include <thread>
struct Account {
  std::mutex lock;
  int sum = 100;
};
Account mine, yours;
void Move(Account& from, Account& to) {
#ifdef FIXED
  std::scoped_lock both(from.lock, to.lock);
#else
  std::lock_guard<std::mutex> first(from.lock);
  std::lock_guard<std::mutex> second(to.lock);
#endif
  --from.sum;
  ++to.sum;
}
int main() {
  std::thread one([] { Move(mine, yours); });
  std::thread two([] { Move(yours, mine); });
  one.join();
  two.join();
}
// expect: deadlock
