// A pool of threads that run tasks of a queue; tasks lock, and post more tasks.
// vague: yes
// false alarm: class A-B because the pointer in the task is lost among those of the queue, so its mutex may be any
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; i++) threads_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  void post(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> hold(mutex_);  //@ B
      queue_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> hold(mutex_);
        changed_.wait(hold, [this] { return stop_ || !queue_.empty(); });
        if (queue_.empty()) return;
        task = std::move(queue_.front());
        queue_.pop_front();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};
std::mutex data;
int x;
int main() {
  Pool pool(3);
  for (int i = 0; i < 10; i++) {
    pool.post([&pool] {
      std::lock_guard<std::mutex> hold(data);  //@ A
      x++;
      if (x == 3) pool.post([] {
        std::lock_guard<std::mutex> again(data);
        x++;
      });
    });
  }
}
