#include "analysis/target/results_dir.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace heddle::analysis {
namespace {

class ResultsDir : public testing::Test {
 protected:
  void SetUp() override { root_ = fmt::format("{}/heddle_results_{}/deep/.heddle", testing::TempDir(), getpid()); }
  void TearDown() override {
    std::filesystem::remove_all(std::filesystem::path(root_).parent_path().parent_path());
    unsetenv("HEDDLE_DIR");
  }
  std::string root_;
};

TEST_F(ResultsDir, OptionThenEnvironmentThenDefault) {
  unsetenv("HEDDLE_DIR");
  EXPECT_EQ(ResultsRoot(""), ".heddle");
  setenv("HEDDLE_DIR", "/x", 1);
  EXPECT_EQ(ResultsRoot(""), "/x");
  EXPECT_EQ(ResultsRoot("/y"), "/y");
}

TEST_F(ResultsDir, LatestIsTheLastPublished) {
  EXPECT_THAT(LatestReport(root_).error().message, testing::HasSubstr("run `heddle check` first"));
  std::string first = *NewResults(root_, "check");
  std::string second = *NewResults(root_, "check");
  EXPECT_EQ(first, root_ + "/check-1");
  EXPECT_EQ(second, root_ + "/check-2");
  ASSERT_TRUE(WriteFileAtomic(first + "/report.json", "1").ok());
  ASSERT_TRUE(WriteFileAtomic(second + "/report.json", "2").ok());
  EXPECT_FALSE(LatestReport(root_).ok()) << "results that are not published are not the latest";
  ASSERT_TRUE(PublishResults(root_, first).ok());
  EXPECT_EQ(*ReadFile(*LatestReport(root_)), "1");
  ASSERT_TRUE(PublishResults(root_, second).ok());
  EXPECT_EQ(*ReadFile(*LatestReport(root_)), "2");
  EXPECT_EQ(*FindReport(root_, first), first + "/report.json");
  EXPECT_EQ(*FindReport(root_, "some.json"), "some.json");
}

TEST_F(ResultsDir, MovesWithItsFolder) {
  std::string run = *NewResults(root_, "check");
  ASSERT_TRUE(PublishResults(root_, run).ok());
  EXPECT_EQ(std::filesystem::read_symlink(root_ + "/latest"), "check-1");
}

TEST_F(ResultsDir, FailsWhereNothingCanBeMade) {
  ASSERT_TRUE(NewResults(root_, "check").ok());
  ASSERT_TRUE(WriteFileAtomic(root_ + "/file", "").ok());
  EXPECT_FALSE(NewResults(root_ + "/file/x", "check").ok());
}

}  // namespace
}  // namespace heddle::analysis
