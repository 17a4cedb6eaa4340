// The fixed twin of cpp_caught_pointer.cpp: the lock whose address is thrown is taken without the other one.
// expect: none
#include <mutex>
#include <thread>
static std::mutex a_lock, b_lock;
static void One() {
  std::lock_guard<std::mutex> a(a_lock);
  std::lock_guard<std::mutex> b(b_lock);
}
static void Two() {
  try {
    throw &a_lock;
  } catch (std::mutex* caught) {
    caught->lock();
    caught->unlock();
  }
}
int main() {
  std::thread one(One), two(Two);
  one.join();
  two.join();
}
