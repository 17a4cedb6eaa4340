// What is written before set_value is known behind get.
#include <future>
#include <thread>
int value;
int main() {
  std::promise<void> done;
  std::future<void> waits = done.get_future();
  std::thread worker([&] {
#ifdef FIXED
    value = 1;
    done.set_value();
#else
    done.set_value();
    value = 1;
#endif
  });
  waits.get();
  int seen = value;
  worker.join();
  return seen;
}
// expect: race value
// alarm when fixed: because the library hands the result over by a flag
