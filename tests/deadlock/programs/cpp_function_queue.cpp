// Tasks in a queue of std::function, run by a pool without the queue's lock; one of them has the other order.
// expect: cycle A-B C-D
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
std::mutex accounts, history, queue_mutex;
std::deque<std::function<void()>> queue;
int x;
void pay() {
  std::lock_guard<std::mutex> first(accounts);  //@ A
  std::lock_guard<std::mutex> second(history);  //@ B
  x++;
}
void print() {
  std::lock_guard<std::mutex> first(history);    //@ C
  std::lock_guard<std::mutex> second(accounts);  //@ D
  x++;
}
void run() {
  for (;;) {
    std::function<void()> task;
    {
      std::lock_guard<std::mutex> hold(queue_mutex);
      if (queue.empty()) return;
      task = std::move(queue.front());
      queue.pop_front();
    }
    task();
  }
}
int main() {
  for (int i = 0; i < 10; i++) queue.emplace_back(i % 2 != 0 ? std::function<void()>(pay) : [] { print(); });
  std::vector<std::thread> pool;
  for (int i = 0; i < 3; i++) pool.emplace_back(run);
  for (auto& thread : pool) thread.join();
}
