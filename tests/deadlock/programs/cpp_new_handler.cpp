// The new handler takes the lock under which memory is asked for.
#include <cstdlib>
#include <mutex>
#include <new>
std::mutex lock;
void* memory;
void NoMemory() {
  lock.lock();  //@ B
  std::_Exit(1);
}
int main() {
  std::set_new_handler(NoMemory);
  lock.lock();  //@ A
  memory = ::operator new(1 << 20);
  lock.unlock();
}
// expect: signal A-B
