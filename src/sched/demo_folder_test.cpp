#include "sched/demo_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "base/file.h"
#include "wire/demo_format.h"

namespace heddle::sched {
namespace {

class DemoFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/heddle-demo-XXXXXX";
    folder_ = mkdtemp(name);
    Result<Schedule> schedule = ParseSchedule("x", "heddle-schedule 1\nprogram ./p\n\nT0 lock *3\nT1 any\n");
    ASSERT_TRUE(schedule.ok());
    demo_.schedule = schedule.Take();
    demo_.calls.assign(sizeof(wire::DemoHeader), '\0');
    std::memcpy(demo_.calls.data(), wire::kDemoMagic, sizeof wire::kDemoMagic);
    uint64_t used = sizeof(wire::DemoHeader);
    std::memcpy(demo_.calls.data() + offsetof(wire::DemoHeader, used), &used, sizeof used);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  DemoFolder demo_;
};

TEST_F(DemoFolderTest, ReadsWhatItWrote) {
  EXPECT_FALSE(IsDemo(folder_));
  ASSERT_TRUE(SaveDemo(folder_, demo_).ok());
  EXPECT_TRUE(IsDemo(folder_));
  Result<DemoFolder> again = LoadDemo(folder_);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->schedule.Steps(), 4U);
  EXPECT_EQ(again->calls, demo_.calls);
}

TEST_F(DemoFolderTest, EveryCutAndEveryChangedByteIsSaid) {
  ASSERT_TRUE(SaveDemo(folder_, demo_).ok());
  Result<DemoFolder> whole = LoadDemo(folder_);
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(whole->damage.empty());
  std::string schedule = PrintSchedule(whole->schedule);
  for (const char* name : {"/QUEUE", "/SYSCALL", "/SIGNAL"}) {
    std::string path = folder_ + name;
    Result<std::string> good = ReadFile(path);
    ASSERT_TRUE(good.ok());
    for (size_t cut = 0; cut < good->size(); ++cut) {
      ASSERT_TRUE(WriteFileAtomic(path, good->substr(0, cut)).ok());
      Result<DemoFolder> loaded = LoadDemo(folder_);
      EXPECT_TRUE(!loaded.ok() || !loaded->damage.empty()) << name << " cut at " << cut;
    }
    for (size_t at = 0; at < good->size(); ++at) {
      std::string changed = *good;
      changed[at] = static_cast<char>(changed[at] ^ 0x40);
      ASSERT_TRUE(WriteFileAtomic(path, changed).ok());
      Result<DemoFolder> loaded = LoadDemo(folder_);
      bool same = loaded.ok() && loaded->calls == whole->calls && PrintSchedule(loaded->schedule) == schedule;
      EXPECT_TRUE(!loaded.ok() || !loaded->damage.empty() || same) << name << " changed at " << at;
    }
    ASSERT_TRUE(WriteFileAtomic(path, *good).ok());
  }
}

// Of a file that was cut, the blocks before are there.
TEST_F(DemoFolderTest, LoadsTheBeginningOfWhatWasCut) {
  DemoFolder large = demo_;
  std::mt19937_64 random(1);
  wire::DemoHeader header{};
  std::memcpy(&header, large.calls.data(), sizeof header);
  large.calls.resize(header.used);
  for (int i = 0; i < 20000; ++i) {
    wire::DemoEntry entry{0, wire::DemoCall::kClock, 0, 0, 0, 0, static_cast<int64_t>(random())};
    large.calls.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  }
  header.used = large.calls.size();
  std::memcpy(large.calls.data(), &header, sizeof header);
  ASSERT_TRUE(SaveDemo(folder_, large).ok());
  Result<DemoFolder> whole = LoadDemo(folder_);
  ASSERT_TRUE(whole.ok());
  Result<std::string> packed = ReadFile(folder_ + "/SYSCALL");
  ASSERT_TRUE(packed.ok());
  ASSERT_TRUE(WriteFileAtomic(folder_ + "/SYSCALL", packed->substr(0, packed->size() / 2)).ok());
  Result<DemoFolder> part = LoadDemo(folder_);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->damage, "SYSCALL");
  EXPECT_GT(part->calls.size(), whole->calls.size() / 3);
  EXPECT_LT(part->calls.size(), whole->calls.size() * 2 / 3);
}

// A header of zstd that announces 3 GiB, and nothing behind it: refused before any memory is asked for.
TEST_F(DemoFolderTest, RefusesToUnpackFarMoreThanItIs) {
  ASSERT_TRUE(SaveDemo(folder_, demo_).ok());
  std::string announces("\x28\xB5\x2F\xFD\xA0\x00\x00\x00\xC0", 9);
  announces.resize(813, '\0');
  for (const char* name : {"/QUEUE", "/SYSCALL", "/SIGNAL"}) {
    Result<std::string> good = ReadFile(folder_ + name);
    ASSERT_TRUE(good.ok());
    ASSERT_TRUE(WriteFileAtomic(folder_ + name, announces).ok());
    Result<DemoFolder> loaded = LoadDemo(folder_);
    ASSERT_FALSE(loaded.ok());
    EXPECT_NE(loaded.error().message.find("damaged"), std::string::npos) << loaded.error().message;
    ASSERT_TRUE(WriteFileAtomic(folder_ + name, *good).ok());
  }
}

}  // namespace
}  // namespace heddle::sched
