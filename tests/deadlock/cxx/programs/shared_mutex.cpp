#include <mutex>
#include <shared_mutex>
#include <thread>
std::shared_mutex lock;
int value;
void Read() {
  std::shared_lock<std::shared_mutex> guard(lock);
  volatile int seen = value;
  (void)seen;
}
void Write() {
#ifdef FIXED
  std::unique_lock<std::shared_mutex> guard(lock);
#else
  std::shared_lock<std::shared_mutex> guard(lock);
#endif
  ++value;
}
int main() {
  std::thread one(Read), two(Write);
  one.join();
  two.join();
}
// expect: race value
