// The terminate handler takes the lock that is held where the program gives up.
#include <cstdlib>
#include <exception>
#include <mutex>
std::mutex lock;
void GiveUp() {
  lock.lock();  //@ B
  std::_Exit(1);
}
int main(int count, char**) {
  std::set_terminate(GiveUp);
  lock.lock();  //@ A
  if (count > 1) std::terminate();
  lock.unlock();
}
// expect: signal A-B
