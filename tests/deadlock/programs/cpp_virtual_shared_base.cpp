// Two classes behind one base; a third object calls both through the base, in the wrong order.
// expect: cycle A-B C-D
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
struct Part {
  std::mutex mutex;
  int value = 0;
  virtual ~Part() = default;
  virtual void touch() = 0;
};
struct Left : Part {
  Part* other = nullptr;
  void touch() override {
    std::lock_guard<std::mutex> hold(mutex);  //@ A
    if (other != nullptr) other->touch();
    value++;
  }
};
struct Right : Part {
  Left* left = nullptr;
  void touch() override {
    std::lock_guard<std::mutex> hold(mutex);  //@ B
    value++;
  }
  void sweep() {
    std::lock_guard<std::mutex> hold(mutex);            //@ C
    std::lock_guard<std::mutex> hold_left(left->mutex);  //@ D
    value--;
  }
};
int main() {
  auto left = std::make_unique<Left>();
  auto right = std::make_unique<Right>();
  left->other = right.get();
  right->left = left.get();
  std::vector<Part*> parts{left.get(), right.get()};
  std::thread a([&] {
    for (Part* part : parts) part->touch();
  });
  std::thread b([&] { right->sweep(); });
  a.join();
  b.join();
}
