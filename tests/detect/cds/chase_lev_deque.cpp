// A work-stealing deque of a fixed size. The owner pushes two jobs and takes them back while a thief steals; whoever gets
// a job works on its plain memory. With the bug the owner's take lacks its seq_cst fence: it may miss that the thief has
// been there and take a job that was stolen.
#include <atomic>

#include "start.h"

constexpr int kNone = -1;
constexpr int kJobs = 2;
int work[kJobs];

class Deque {
 public:
  void Push(int job) {
    int bottom = bottom_.load(std::memory_order_relaxed);
    jobs_[bottom].store(job, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
  }

  int Take() {
    int bottom = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(bottom, std::memory_order_relaxed);
#ifndef BUG
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    int top = top_.load(std::memory_order_relaxed);
    if (top < bottom) return jobs_[bottom].load(std::memory_order_relaxed);
    int job = kNone;
    if (top == bottom && Advance(top)) job = jobs_[bottom].load(std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return job;
  }

  int Steal() {
    int top = top_.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    int bottom = bottom_.load(std::memory_order_acquire);
    if (top >= bottom) return kNone;
    int job = jobs_[top].load(std::memory_order_relaxed);
    return Advance(top) ? job : kNone;
  }

 private:
  bool Advance(int top) {
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
  }

  std::atomic<int> top_{0};
  std::atomic<int> bottom_{0};
  std::atomic<int> jobs_[kJobs] = {};
};

Deque deque;

void Work(int job) {
  if (job != kNone) work[job]++;
}

void Owner() {
  for (int job = 0; job < kJobs; ++job) {
    work[job] = 1;
    deque.Push(job);
  }
  Reached();
  Await(2);
  for (int i = 0; i < kJobs; ++i) Work(deque.Take());
}

void Thief() {
  Await(1);
  for (int i = 0; i < 8; ++i) Work(deque.Steal());
  Reached();
}

int main(int argc, char** argv) { RunThreads(argc, argv, Owner, Thief); }
