// The counts are atomic; what is behind the pointer is not.
#include <memory>
#include <mutex>
#include <thread>
struct Box {
  std::mutex lock;
  int value = 0;
};
void Work(std::shared_ptr<Box> box) {
#ifdef FIXED
  std::lock_guard<std::mutex> guard(box->lock);
#endif
  ++box->value;
}
int main() {
  auto box = std::make_shared<Box>();
  std::thread one(Work, box), two(Work, box);
  one.join();
  two.join();
}
// expect: race shared_ptr.cpp:16+56
// alarm when fixed: because the counts of shared pointers are not understood
