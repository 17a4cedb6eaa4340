// A pool whose tasks are packaged tasks behind shared pointers: a task is destroyed with the queue's mutex held, and run
// without it. Which of its functions a destructor can reach is told by the classes of virtual calls.
// expect: none
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>

class Pool {
 public:
  Pool() : worker_([this] { Run(); }) {}
  ~Pool() {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }
  template <typename Work>
  std::future<int> Post(Work work) {
    auto task = std::make_shared<std::packaged_task<int()>>(std::move(work));
    std::future<int> result = task->get_future();
    {
      std::lock_guard<std::mutex> hold(mutex_);
      tasks_.emplace([task] { (*task)(); });
    }
    changed_.notify_one();
    return result;
  }

 private:
  void Run() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> hold(mutex_);
        changed_.wait(hold, [this] { return stop_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }
  std::queue<std::function<void()>> tasks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread worker_;
};

int main() {
  std::mutex sum_mutex;
  int sum = 0;
  Pool pool;
  std::future<int> result = pool.Post([&] {
    std::lock_guard<std::mutex> hold(sum_mutex);
    return ++sum;
  });
  return result.get() - 1;
}
