// A thread pool with a queue: condition variables, futures, many allocations.
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>

class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Work(); });
  }
  ~Pool() {
    {
      std::lock_guard hold(mutex_);
      stop_ = true;
    }
    more_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  std::future<int> Add(std::function<int()> work) {
    auto task = std::make_shared<std::packaged_task<int()>>(std::move(work));
    std::future<int> result = task->get_future();
    {
      std::lock_guard hold(mutex_);
      tasks_.push([task] { (*task)(); });
    }
    more_.notify_one();
    return result;
  }

 private:
  void Work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock hold(mutex_);
        more_.wait(hold, [this] { return stop_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable more_;
  std::queue<std::function<void()>> tasks_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

int main() {
  int sum = 0;
  {
    Pool pool(3);
    std::vector<std::future<int>> results;
    for (int i = 0; i < 10; ++i) results.push_back(pool.Add([i] { return i * i; }));
    for (auto& result : results) sum += result.get();
  }
  std::printf("%d\n", sum);
}
