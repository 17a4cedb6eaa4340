// The fixed twin of cpp_made_exception.cpp: the lock from the exception is taken without the other one.
// expect: none
#include <exception>
#include <mutex>
#include <thread>
static std::mutex a_lock, b_lock;
static void One() {
  std::lock_guard<std::mutex> a(a_lock);
  std::lock_guard<std::mutex> b(b_lock);
}
static void Two() {
  std::exception_ptr made = std::make_exception_ptr(&a_lock);
  try {
    std::rethrow_exception(made);
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
