#include <semaphore>
#include <thread>
std::binary_semaphore lock(1);
int value;
void Work() {
#ifdef FIXED
  lock.acquire();
  ++value;
  lock.release();
#else
  ++value;
#endif
}
int main() {
  std::thread one(Work), two(Work);
  one.join();
  two.join();
}
// expect: race value
