#include "sched/demo_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>

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

TEST_F(DemoFolderTest, EveryCutAndEveryChangedByteIsAnErrorOrHarmless) {
  ASSERT_TRUE(SaveDemo(folder_, demo_).ok());
  for (const char* name : {"/QUEUE", "/SYSCALL", "/SIGNAL"}) {
    std::string path = folder_ + name;
    Result<std::string> good = ReadFile(path);
    ASSERT_TRUE(good.ok());
    for (size_t cut = 0; cut < good->size(); ++cut) {
      ASSERT_TRUE(WriteFileAtomic(path, good->substr(0, cut)).ok());
      Result<DemoFolder> loaded = LoadDemo(folder_);
      EXPECT_FALSE(loaded.ok()) << name << " cut at " << cut;
    }
    for (size_t at = 0; at < good->size(); ++at) {
      std::string changed = *good;
      changed[at] = static_cast<char>(changed[at] ^ 0x40);
      ASSERT_TRUE(WriteFileAtomic(path, changed).ok());
      (void)LoadDemo(folder_);
    }
    ASSERT_TRUE(WriteFileAtomic(path, *good).ok());
  }
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
