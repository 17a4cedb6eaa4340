// Observers are called under the lock of the subject, and one of them asks it.
// expect: self A-B
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
class Subject {
 public:
  void add(std::function<void(int)> observer) {
    std::lock_guard<std::mutex> hold(mutex_);
    list_.push_back(std::move(observer));
  }
  void fire(int value) {
    std::lock_guard<std::mutex> hold(mutex_);  //@ A
    for (auto& observer : list_) observer(value);
  }
  size_t count() {
    std::lock_guard<std::mutex> hold(mutex_);  //@ B
    return list_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void(int)>> list_;
};
Subject subject;
size_t x;
int main() {
  subject.add([](int value) { x += static_cast<size_t>(value) * subject.count(); });
  std::thread a([] { subject.fire(1); });
  a.join();
}
