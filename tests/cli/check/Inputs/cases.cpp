// Three tests of GoogleTest: a lost update, its twin with a lock, and one that fails in every order.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace {

int g_count = 0;

template <class Add>
void TwoThreads(Add add) {
  std::thread first(add);
  std::thread second(add);
  first.join();
  second.join();
}

TEST(Counter, WithoutALock) {
  TwoThreads([] { ++g_count; });
}

TEST(Counter, WithALock) {
  std::mutex mutex;
  TwoThreads([&] {
    std::lock_guard<std::mutex> guard(mutex);
    ++g_count;
  });
  EXPECT_EQ(g_count, 2);
}

TEST(Counter, Fails) { EXPECT_EQ(g_count, 7); }

}  // namespace
