// Two deferred locks, taken together in whatever order.
// expect: none
#include <mutex>
#include <thread>
struct Account {
  std::mutex m;
  long balance = 0;
};
Account p, q;
void transfer(Account& from, Account& to, long n) {
  std::unique_lock<std::mutex> l1(from.m, std::defer_lock), l2(to.m, std::defer_lock);
  std::lock(l1, l2);
  from.balance -= n;
  to.balance += n;
}
int main() {
  std::thread t([] { transfer(p, q, 1); });
  std::thread u([] { transfer(q, p, 1); });
  t.join();
  u.join();
}
