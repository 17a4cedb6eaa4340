// Guards of C++, in members, and a thread of a lambda.
#include <mutex>
#include <thread>
class Account {
 public:
  void Pay(Account &to, int sum) {
    std::lock_guard<std::mutex> own(mutex_);
    std::unique_lock<std::mutex> other(to.mutex_);
    money_ -= sum;
    to.money_ += sum;
  }

 private:
  std::mutex mutex_;
  int money_ = 100;
};
Account here, there;
int main() {
  std::thread one([] { here.Pay(there, 1); });
#ifdef FIXED
  one.join();
  std::thread two([] { there.Pay(here, 2); });
#else
  std::thread two([] { there.Pay(here, 2); });
  one.join();
#endif
  two.join();
}
