// What is thrown is itself the address of a lock: the handler gets that address, not the address of the exception object.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
static std::mutex a_lock, b_lock;
static void One() {
  std::lock_guard<std::mutex> a(a_lock);  //@ A
  std::lock_guard<std::mutex> b(b_lock);  //@ B
}
static void Two() {
  std::lock_guard<std::mutex> b(b_lock);  //@ C
  try {
    throw &a_lock;
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
