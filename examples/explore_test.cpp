// A test that explores every interleaving of its threads, in its own process.
//
//   heddle c++ -std=c++20 -O1 examples/explore_test.cpp -o explore_test -lgtest -lgtest_main
//   ./explore_test
#include <gtest/gtest.h>
// The header finds GoogleTest when it comes second.
#include <heddle/explore.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace {

class Counter {
 public:
  void Add(int by) {
    std::lock_guard hold(lock_);
    value_ += by;
  }
  int value() {
    std::lock_guard hold(lock_);
    return value_;
  }

 private:
  std::mutex lock_;
  int value_ = 0;
};

TEST(Counter, KeepsEverySum) {
  HEDDLE_EXPLORE([] {
    Counter counter;
    std::thread other([&] { counter.Add(2); });
    counter.Add(3);
    other.join();
    EXPECT_EQ(counter.value(), 5);
  });
}

// A bound is no proof: the result says so, and ok() is false.
TEST(Counter, UpToOnePreemption) {
  heddle::ExploreOptions options;
  options.preemptions = 1;
  heddle::Exploration seen = heddle::explore(options, [] {
    std::atomic<int> sum{0};
    auto add = [&] {
      for (int i = 0; i < 3; ++i) sum.fetch_add(1);
    };
    std::thread other(add);
    add();
    other.join();
    EXPECT_EQ(sum.load(), 6);
  });
  EXPECT_EQ(seen.failed, 0) << seen.text();
  EXPECT_EQ(seen.complete, 0);
}

}  // namespace
