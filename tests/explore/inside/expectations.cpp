// GoogleTest's expectations in explored bodies: an execution that fails one is found and reported as the test's own.
#include <gtest/gtest.h>
// The header finds GoogleTest when it comes second.
#include <heddle/explore.h>

#include <atomic>
#include <thread>

namespace {

template <bool kAtOnce>
void Update() {
  std::atomic<int> sum{0};
  auto add = [&] {
    if (kAtOnce) {
      sum.fetch_add(1);
    } else {
      sum.store(sum.load() + 1);
    }
  };
  std::thread other(add);
  add();
  other.join();
  EXPECT_EQ(sum.load(), 2) << "an update was lost";
}

TEST(Expectations, Bug) { HEDDLE_EXPLORE(Update<false>); }
TEST(Expectations, Fix) { HEDDLE_EXPLORE(Update<true>); }

}  // namespace
