// The new handler takes a lock of its own.
#include <cstdlib>
#include <mutex>
#include <new>
std::mutex lock, own;
void* memory;
void NoMemory() {
  own.lock();
  std::_Exit(1);
}
int main() {
  std::set_new_handler(NoMemory);
  lock.lock();
  memory = ::operator new(1 << 20);
  lock.unlock();
}
// expect: none
