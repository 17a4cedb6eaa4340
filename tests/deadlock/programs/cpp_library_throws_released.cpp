// The same, with the lock released by the handler.
// proof: yes
#include <mutex>
#include <stdexcept>
#include <vector>
std::mutex lock;
int main(int count, char**) {
  std::vector<int> values(1);
  lock.lock();
  try {
    values.at(static_cast<size_t>(count)) = 1;
    lock.unlock();
  } catch (const std::out_of_range&) {
    lock.unlock();
  }
  lock.lock();
  lock.unlock();
}
// expect: none
