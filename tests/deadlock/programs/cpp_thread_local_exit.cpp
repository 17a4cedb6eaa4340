// A thread-local object of the main thread is destroyed by exit, under the lock that its destructor takes.
#include <cstdlib>
#include <mutex>
std::mutex lock;
struct Cache {
  int size = 0;
  ~Cache() {
    lock.lock();  //@ B
    lock.unlock();
  }
};
thread_local Cache cache;
int main() {
  cache.size = 1;
  lock.lock();  //@ A
  std::exit(0);
}
// expect: self A-B
