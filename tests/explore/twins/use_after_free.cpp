// A thread uses memory that the other frees at the end; the twin does not wait.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race
#include <atomic>
#include <thread>
int main() {
  int* cell = new int(1);
  std::atomic<int> seen{0};
  std::thread reader([&] { seen.store(*cell); });
#ifdef BUG
  delete cell;
  reader.join();
#else
  reader.join();
  delete cell;
#endif
}
