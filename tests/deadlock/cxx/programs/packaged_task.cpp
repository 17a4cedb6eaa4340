#include <future>
#include <thread>
int value;
int main() {
  std::packaged_task<int()> task([] {
    value = 1;
    return 1;
  });
  std::future<int> result = task.get_future();
  std::thread worker(std::move(task));
#ifdef FIXED
  result.get();
  int seen = value;
#else
  int seen = value;
  result.get();
#endif
  worker.join();
  return seen;
}
// expect: race value
// alarm when fixed: because the library hands the result over by a flag
