// A function of the library throws, and the handler forgets the lock.
#include <mutex>
#include <stdexcept>
#include <vector>
std::mutex lock;
int main(int count, char**) {
  std::vector<int> values(1);
  lock.lock();  //@ A
  try {
    values.at(static_cast<size_t>(count)) = 1;
    lock.unlock();
  } catch (const std::out_of_range&) {
  }
  lock.lock();  //@ B
  lock.unlock();
}
// expect: self A-B
