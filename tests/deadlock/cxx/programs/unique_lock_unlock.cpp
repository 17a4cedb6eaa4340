#include <mutex>
#include <thread>
std::mutex lock;
int value;
void Work() {
  std::unique_lock<std::mutex> guard(lock);
  ++value;
  guard.unlock();
#ifdef FIXED
  guard.lock();
#endif
  --value;
}
int main() {
  std::thread one(Work), two(Work);
  one.join();
  two.join();
}
// expect: race value
