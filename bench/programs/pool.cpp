// A thread pool: tasks through a queue with a condition variable, results through futures. usage: pool TASKS THREADS
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Loop(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  std::future<long> Run(long n) {
    auto task = std::make_shared<std::packaged_task<long()>>([n] {
      std::vector<long> values(200);
      for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<long>(i) * n;
      long sum = 0;
      for (long value : values) sum += value % 7;
      return sum;
    });
    std::future<long> result = task->get_future();
    {
      std::lock_guard<std::mutex> hold(mutex_);
      queue_.push_back([task] { (*task)(); });
    }
    wake_.notify_one();
    return result;
  }

 private:
  void Loop() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> hold(mutex_);
        wake_.wait(hold, [this] { return stop_ || !queue_.empty(); });
        if (queue_.empty()) return;
        task = std::move(queue_.front());
        queue_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

int main(int argc, char** argv) {
  long tasks = argc > 1 ? std::atol(argv[1]) : 50000;
  int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  long total = 0;
  {
    Pool pool(threads);
    std::vector<std::future<long>> results;
    for (long i = 0; i < tasks; ++i) results.push_back(pool.Run(i));
    for (std::future<long>& result : results) total += result.get();
  }
  std::printf("%ld\n", total);
}
