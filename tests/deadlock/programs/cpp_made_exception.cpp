// The address of a lock goes through an exception that is made, not thrown, and thrown later by a pointer to it.
// expect: cycle A-B C-D
#include <exception>
#include <mutex>
#include <thread>
static std::mutex a_lock, b_lock;
static void One() {
  std::lock_guard<std::mutex> a(a_lock);  //@ A
  std::lock_guard<std::mutex> b(b_lock);  //@ B
}
static void Two() {
  std::lock_guard<std::mutex> b(b_lock);  //@ C
  std::exception_ptr made = std::make_exception_ptr(&a_lock);
  try {
    std::rethrow_exception(made);
  } catch (std::mutex* caught) {
    caught->lock();  //@ D
    caught->unlock();
  }
}
int main() {
  std::thread one(One), two(Two);
  one.join();
  two.join();
}
