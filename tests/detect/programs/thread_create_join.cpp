#include <thread>

int data;

int main() {
  data = 1;
  std::thread worker([] { data = 2; });
#ifdef BUG
  data = 3;
  worker.join();
#else
  worker.join();
  data = 3;
#endif
}
