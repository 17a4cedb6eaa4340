#include <semaphore>
#include <thread>
std::counting_semaphore<4> ready(0);
int value;
int main() {
  std::thread worker([] {
#ifdef FIXED
    value = 1;
    ready.release();
#else
    ready.release();
    value = 1;
#endif
  });
  ready.acquire();
  int seen = value;
  worker.join();
  return seen;
}
// expect: race value
