// The search on disk against the search in memory: verdicts, lengths, numbers of states and transitions. The limits are
// so small that it goes on on disk at once or soon, with buffers of a few states, so that every level has several runs.
#include "csp/refine/disk.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "csp/csp.h"
#include "csp/testing/random_network.h"

namespace heddle::csp {
namespace {

class Disk : public ::testing::Test {
 protected:
  Disk() { std::filesystem::create_directories(folder_); }
  ~Disk() override { std::filesystem::remove_all(folder_); }

  std::vector<CheckResult> Outcome(const std::string& text, uint64_t disk_after, int jobs = 1) {
    Result<std::unique_ptr<Script>> script = Script::FromText("disk.csp", text, {});
    EXPECT_TRUE(script.ok()) << text;
    if (!script) return {};
    CheckOptions options;
    options.jobs = jobs;
    options.max_states = 50'000;
    if (disk_after != 0) options.disk = folder_;
    options.disk_after = disk_after;
    return (*script)->CheckAll(options);
  }

  // How many searches went on on disk.
  size_t Compare(const std::string& text, uint64_t disk_after, int jobs = 1) {
    std::vector<CheckResult> memory = Outcome(text, 0);
    std::vector<CheckResult> disk = Outcome(text, disk_after, jobs);
    EXPECT_EQ(memory.size(), disk.size());
    size_t on_disk = 0;
    for (size_t i = 0; i < memory.size() && i < disk.size(); ++i) {
      on_disk += disk[i].disk_bytes != 0;
      if (memory[i].verdict == Verdict::kUndecided && disk[i].verdict == Verdict::kUndecided) continue;
      EXPECT_EQ(memory[i].verdict, disk[i].verdict) << memory[i].text << disk[i].reason << "\n" << text;
      EXPECT_EQ(memory[i].steps.size(), disk[i].steps.size()) << memory[i].text << "\n" << text;
      EXPECT_EQ(memory[i].kind, disk[i].kind) << memory[i].text << "\n" << text;
      if (memory[i].verdict != Verdict::kPassed || memory[i].kind != "") continue;
      EXPECT_EQ(memory[i].states, disk[i].states) << memory[i].text << "\n" << text;
      EXPECT_EQ(memory[i].transitions, disk[i].transitions) << memory[i].text << "\n" << text;
    }
    return on_disk;
  }

  std::string folder_ = ::testing::TempDir() + "/heddle_csp_disk_test";
};

TEST_F(Disk, RandomNetworksAgreeWithMemory) {
  size_t on_disk = 0;
  RunOnLargeStack([&] {
    for (uint32_t seed = 0; seed < 80 && !HasFailure(); ++seed) {
      std::mt19937 random(seed);
      on_disk += Compare(testing::RandomScript(random, false), 1);
    }
  });
  EXPECT_GT(on_disk, 500u);
}

TEST_F(Disk, RandomChainsAgreeWithMemory) {
  size_t on_disk = 0;
  RunOnLargeStack([&] {
    for (uint32_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
      std::mt19937 random(seed);
      on_disk += Compare(testing::RandomChains(random), 1);
    }
  });
  EXPECT_GT(on_disk, 120u);
}

constexpr const char* kCounters =
    "channel a : {0..4}.{0..7}\nchannel bad\nC(i,k) = a.i.k -> C(i,(k+1)%8)\n"
    "SYS = ||| i : {0..4} @ C(i,0)\nONE(i) = a.i.7 -> bad -> STOP [] a.i?x:{0..6} -> ONE(i)\n"
    "BOTH = a?i!7 -> a?j!7 -> bad -> STOP [] a?i?x:{0..6} -> BOTH\n"
    "assert SYS :[deadlock free [F]]\nassert CHAOS(Events) [F= SYS\nassert SYS \\ {|a|} :[divergence free]\n"
    "assert RUN({|a|}) [T= SYS [| {|a|} |] BOTH\nassert BOTH [F= SYS\n";

// The limit is reached in the middle of a level, after some thousand states, with one thread and with several.
TEST_F(Disk, GoesOnInTheMiddleOfALevel) {
  for (int jobs : {1, 2, 3}) {
    for (uint64_t after : {200'000, 300'000, 400'000}) EXPECT_GE(Compare(kCounters, after, jobs), 1u);
  }
}

TEST_F(Disk, LeavesNothingBehind) {
  EXPECT_GE(Compare(kCounters, 1), 4u);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

// A folder that cannot be written to: not decided, and why.
TEST_F(Disk, SaysWhenTheFolderFails) {
  std::ofstream(folder_ + "/file") << "x";
  std::string folder = folder_;
  folder_ += "/file";
  std::vector<CheckResult> results = Outcome(kCounters, 1);
  folder_ = folder;
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(results[0].verdict, Verdict::kUndecided);
  EXPECT_NE(results[0].reason.find("Not a directory"), std::string::npos) << results[0].reason;
}

// Candidates of random levels, against a set.
TEST_F(Disk, StatesAgreeWithASet) {
  std::mt19937 random(7);
  DiskStates<2> states(folder_, 3000);
  std::set<Key<2>> seen;
  for (int level = 0; level < 60; ++level) {
    std::map<Key<2>, uint32_t> expected;
    size_t met = random() % 400;
    for (uint32_t i = 0; i < met; ++i) {
      Key<2> key{random() % 8, 1 + random() % (level < 30 ? 300 : 3000)};
      states.Meet(key, StateTable<2>::Hash(key), i, 0);
      if (!seen.contains(key)) expected.emplace(key, i);
    }
    std::map<Key<2>, uint32_t> found;
    states.EndLevel(
        [&](const DiskStates<2>::Candidate& fresh) {
          EXPECT_TRUE(found.empty() || found.rbegin()->first < fresh.key);
          found.emplace(fresh.key, fresh.parent);
          return true;
        },
        [] { return false; });
    ASSERT_EQ(found, expected) << level;
    for (const auto& [key, parent] : expected) seen.insert(key);
  }
  EXPECT_GT(seen.size(), 4000u);
}

}  // namespace
}  // namespace heddle::csp
