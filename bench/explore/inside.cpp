// Small test bodies explored in one process: executions, operations in each, executions a second of processor time.
#include <heddle/explore.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <thread>

namespace {

double Now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename Body>
void Measure(const char* name, Body body) {
  double start = Now();
  heddle::Exploration seen = heddle::explore({}, body);
  double seconds = Now() - start;
  if (!seen.ok()) std::printf("%s\n", seen.text().c_str());
  auto executions = static_cast<double>(seen.executions + seen.blocked);
  std::printf("%-34s%10lu%8.1f%10.0f\n", name, seen.executions, static_cast<double>(seen.events) / executions,
              executions / seconds);
}

template <int kTimes>
void TwoThreads() {
  std::atomic<int> sum{0};
  int found[2] = {};  // or nobody could tell their order
  auto add = [&](int thread) {
    for (int i = 0; i < kTimes; ++i) found[thread] += sum++;
  };
  std::thread other(add, 1);
  add(0);
  other.join();
  assert(sum == 2 * kTimes && found[0] + found[1] == sum * (sum - 1) / 2);
}

template <int kTimes>
void ThreeThreads() {
  std::atomic<int> sum{0};
  int found[3] = {};
  auto add = [&](int thread) {
    for (int i = 0; i < kTimes; ++i) found[thread] += sum++;
  };
  std::thread one(add, 1);
  std::thread two(add, 2);
  add(0);
  one.join();
  two.join();
  assert(sum == 3 * kTimes && found[0] + found[1] + found[2] == sum * (sum - 1) / 2);
}

template <int kTimes>
void WithLock() {
  std::mutex lock;
  int sum = 0;
  auto add = [&] {
    for (int i = 0; i < kTimes; ++i) {
      std::lock_guard hold(lock);
      ++sum;
    }
  };
  std::thread one(add);
  std::thread two(add);
  one.join();
  two.join();
  assert(sum == 2 * kTimes);
}

}  // namespace

int main() {
  std::printf("%-34s%10s%8s%10s\n", "in one process", "", "events", "/s CPU");
  Measure("two threads, 8 increments each", TwoThreads<8>);
  Measure("three threads, 3 increments each", ThreeThreads<3>);
  Measure("three threads, 4 increments each", ThreeThreads<4>);
  Measure("two threads, 8 critical sections", WithLock<8>);
}
