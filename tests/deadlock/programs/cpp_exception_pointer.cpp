// The last pointer to an exception goes where the lock is held that its destructor takes.
#include <exception>
#include <mutex>
std::mutex lock;
struct Failure {
  ~Failure() {
    lock.lock();  //@ B
    lock.unlock();
  }
};
int main() {
  std::exception_ptr kept;
  try {
    throw Failure();
  } catch (...) {
    kept = std::current_exception();
  }
  lock.lock();  //@ A
  kept = nullptr;
  lock.unlock();
}
// expect: self A-B
