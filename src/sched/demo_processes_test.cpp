#include "sched/demo_processes.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::sched {
namespace {

std::vector<DemoProcess> Some() {
  return {{1, DemoBegan::kStart, 0, 0, "exit:0", 20, "./server -p 1"},
          {2, DemoBegan::kFork, 1, 7, "exec", 4, "./server -p 1"},
          {3, DemoBegan::kExec, 2, 0, "exit:3", 9, "/bin/worker"},
          {4, DemoBegan::kFork, 3, 2, "killed", 5, "/bin/worker"},
          {7, DemoBegan::kFork, 4, 1, "exit:0", 5, "/bin/worker"}};
}

TEST(DemoProcesses, ReadsWhatItWrites) {
  Result<std::vector<DemoProcess>> read = ParseProcesses("P", PrintProcesses(Some()));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, Some());
}

TEST(DemoProcesses, AWayBeginsWithAProgramAndGoesByForks) {
  std::vector<DemoProcess> all = Some();
  auto numbers = [&](uint64_t to) {
    std::vector<uint64_t> found;
    Result<std::vector<const DemoProcess*>> way = WayTo(all, to);
    for (const DemoProcess* one : *way) found.push_back(one->number);
    return found;
  };
  EXPECT_EQ(numbers(1), (std::vector<uint64_t>{1}));
  EXPECT_EQ(numbers(2), (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(numbers(3), (std::vector<uint64_t>{3}));
  EXPECT_EQ(numbers(7), (std::vector<uint64_t>{3, 4, 7}));
  EXPECT_FALSE(WayTo(all, 5));
}

TEST(DemoProcesses, BadLinesAreNamed) {
  for (const char* bad : {"x", "1 start 0 0 exit:0", "1 born 0 0 exit:0 1 a", "2 fork 2 0 exit:0 1 a",
                          "2 fork 3 0 exit:0 1 a", "1 start 0 0 lost 1 a", "1 start 0 x exec 1 a"}) {
    Result<std::vector<DemoProcess>> read = ParseProcesses("P", std::string(bad) + "\n");
    ASSERT_FALSE(read) << bad;
    EXPECT_NE(read.error().message.find("P:1"), std::string::npos) << bad;
  }
  EXPECT_FALSE(ParseProcesses("P", "2 start 0 0 exec 1 a\n1 start 0 0 exec 1 a\n"));  // out of order
}

// Whatever bytes are damaged: an error, or processes whose ways end.
TEST(DemoProcesses, DamageNeverLoops) {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string text = PrintProcesses(Some());
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = "0123456789 \nfx"[random() % 14];
    Result<std::vector<DemoProcess>> read = ParseProcesses("P", text);
    if (!read) continue;
    for (const DemoProcess& one : *read) {
      Result<std::vector<const DemoProcess*>> way = WayTo(*read, one.number);
      if (way) {
        EXPECT_LE(way->size(), read->size());
      }
    }
  }
}

}  // namespace
}  // namespace heddle::sched
