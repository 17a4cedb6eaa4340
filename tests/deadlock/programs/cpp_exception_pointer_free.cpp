// The last pointer to an exception goes before the lock is taken.
#include <exception>
#include <mutex>
std::mutex lock;
struct Failure {
  ~Failure() {
    lock.lock();
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
  kept = nullptr;
  lock.lock();
  lock.unlock();
}
// expect: none
