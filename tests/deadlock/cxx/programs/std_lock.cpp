// Two locks by std::lock, then by hand in another order.
#include <mutex>
#include <thread>
std::mutex a, b;
int value;
void One() {
  std::lock(a, b);
  std::lock_guard<std::mutex> x(a, std::adopt_lock);
  std::lock_guard<std::mutex> y(b, std::adopt_lock);
  ++value;
}
void Two() {
#ifdef FIXED
  std::lock(b, a);
  std::lock_guard<std::mutex> x(b, std::adopt_lock);
  std::lock_guard<std::mutex> y(a, std::adopt_lock);
#else
  std::lock_guard<std::mutex> y(a);
#endif
  ++value;
}
void Three() {
#ifdef FIXED
  One();
#else
  std::lock_guard<std::mutex> x(b);
  std::lock_guard<std::mutex> y(a);
#endif
}
void Four() {
  std::lock_guard<std::mutex> x(a);
  std::lock_guard<std::mutex> y(b);
  ++value;
}
int main() {
  std::thread one(One), two(Two), three(Three), four(Four);
  one.join();
  two.join();
  three.join();
  four.join();
}
// expect: deadlock
