// A thread-local object of the main thread is destroyed by exit, with nothing held.
#include <cstdlib>
#include <mutex>
std::mutex lock;
struct Cache {
  int size = 0;
  ~Cache() {
    lock.lock();
    lock.unlock();
  }
};
thread_local Cache cache;
int main() {
  cache.size = 1;
  lock.lock();
  lock.unlock();
  std::exit(0);
}
// expect: none
