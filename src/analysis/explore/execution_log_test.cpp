#include "analysis/explore/execution_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "sched/random.h"

namespace heddle::analysis {
namespace {

class ExecutionLogTest : public testing::Test {
 protected:
  ExecutionLogTest() : path_(testing::TempDir() + "/search-" + std::to_string(getpid()) + ".log") {}
  ~ExecutionLogTest() override { std::filesystem::remove(path_); }
  std::string path_;
  SearchIdentity identity_{"program ./test\n"};
};

LoggedExecution RandomExecution(sched::Random& random, const LoggedExecution& before) {
  LoggedExecution next = before;
  auto& events = next.performed.execution.events;
  events.resize(random.Below(events.size() + 1));
  for (uint64_t i = random.Below(6); i > 0; --i) {
    wire::ExploredEvent event;
    for (uint64_t* word : {&event.object, &event.second, &event.pc, &event.operand, &event.before}) {
      *word = random.Below(3) * random.Below(uint64_t{1} << 60U);
    }
    event.enabled.SetWord(static_cast<uint32_t>(random.Below(4)), random.Below(1000));
    event.value = static_cast<uint32_t>(random.Below(3));
    event.thread = static_cast<uint8_t>(random.Below(4));
    event.flags = static_cast<uint8_t>(random.Below(2));
    events.push_back(event);
  }
  next.performed.execution.pending.assign(random.Below(3), wire::ExploredEvent{});
  next.performed.execution.end = random.Below(2) == 0 ? explore::End::kDone : explore::End::kBlocked;
  next.performed.notes.assign(random.Below(2), wire::LinkNote{wire::NoteKind::kRace, 0, random.Below(99), 7});
  next.performed.signal = static_cast<int>(random.Below(12));
  if (random.Below(10) == 0) next.threads.push_back("T" + std::to_string(next.threads.size()));
  return next;
}

void ExpectSame(const LoggedExecution& a, const LoggedExecution& b) {
  ASSERT_EQ(a.performed.execution.events.size(), b.performed.execution.events.size());
  for (size_t i = 0; i < a.performed.execution.events.size(); ++i) {
    EXPECT_EQ(
        std::memcmp(&a.performed.execution.events[i], &b.performed.execution.events[i], sizeof(wire::ExploredEvent)),
        0);
  }
  EXPECT_EQ(a.performed.execution.pending.size(), b.performed.execution.pending.size());
  EXPECT_EQ(a.performed.execution.end, b.performed.execution.end);
  EXPECT_EQ(a.performed.notes.size(), b.performed.notes.size());
  EXPECT_EQ(a.performed.signal, b.performed.signal);
  EXPECT_EQ(a.threads, b.threads);
}

Status Append(ExecutionLog& log, const LoggedExecution& one) {
  return log.Append(one.performed, one.threads, one.timeouts_cut, one.mixed_sizes);
}

TEST_F(ExecutionLogTest, GivesBackWhatWasWritten) {
  sched::Random random(3);
  std::vector<LoggedExecution> all;
  {
    auto log = ExecutionLog::Create(path_, identity_);
    ASSERT_TRUE(log);
    LoggedExecution last;
    for (int i = 0; i < 300; ++i) {
      last = RandomExecution(random, last);
      all.push_back(last);
      ASSERT_TRUE(Append(**log, last));
    }
  }
  auto log = ExecutionLog::Open(path_, identity_);
  ASSERT_TRUE(log);
  for (const LoggedExecution& expected : all) {
    std::optional<LoggedExecution> read = (*log)->Read();
    ASSERT_TRUE(read);
    ExpectSame(*read, expected);
  }
  EXPECT_FALSE((*log)->Read());
}

TEST_F(ExecutionLogTest, EndsWhereItWasCut) {
  {
    auto log = ExecutionLog::Create(path_, identity_);
    ASSERT_TRUE(log);
    LoggedExecution one;
    one.performed.execution.events.resize(10);
    ASSERT_TRUE(Append(**log, one));
    one.performed.execution.events.resize(20);
    ASSERT_TRUE(Append(**log, one));
  }
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 5);
  auto log = ExecutionLog::Open(path_, identity_);
  ASSERT_TRUE(log);
  EXPECT_TRUE((*log)->Read());
  EXPECT_FALSE((*log)->Read());
}

TEST_F(ExecutionLogTest, RefusesAnotherSearchAndOtherFiles) {
  ASSERT_TRUE(ExecutionLog::Create(path_, identity_));
  EXPECT_FALSE(ExecutionLog::Open(path_, {"program ./other\n"}));
  std::filesystem::resize_file(path_, 4);
  EXPECT_FALSE(ExecutionLog::Open(path_, identity_));
  EXPECT_FALSE(ExecutionLog::Open(path_ + ".none", identity_));
}

}  // namespace
}  // namespace heddle::analysis
