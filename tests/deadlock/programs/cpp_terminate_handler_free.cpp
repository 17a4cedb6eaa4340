// The terminate handler takes a lock of its own.
#include <cstdlib>
#include <exception>
#include <mutex>
std::mutex lock, own;
void GiveUp() {
  own.lock();
  std::_Exit(1);
}
int main(int count, char**) {
  std::set_terminate(GiveUp);
  lock.lock();
  if (count > 1) std::terminate();
  lock.unlock();
}
// expect: none
