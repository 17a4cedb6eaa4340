// A pool of two workers that stop when told; the twin tells one only.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>
int main() {
  std::mutex lock;
  std::condition_variable changed;
  int jobs = 1, done = 0;
  bool stop = false;
  auto work = [&] {
    std::unique_lock hold(lock);
    for (;;) {
      while (jobs == 0 && !stop) changed.wait(hold);
      if (jobs == 0) return;
      --jobs;
      ++done;
    }
  };
  std::thread a(work), b(work);
  {
    std::lock_guard hold(lock);
    stop = true;
#ifdef BUG
    changed.notify_one();
#else
    changed.notify_all();
#endif
  }
  a.join();
  b.join();
  return done != 1;
}
