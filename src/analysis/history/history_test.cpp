#include "analysis/history/history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "analysis/history/story.h"
#include "base/file.h"

namespace heddle::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HistoryOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fmt::format("{}/heddle_history_{}", testing::TempDir(), getpid());
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string root_;
};

findings::Finding Race(const std::string& fingerprint, const std::string& test = "") {
  findings::Finding finding;
  finding.fingerprint = fingerprint;
  finding.message = "two unordered writes to `x`";
  if (!test.empty()) finding.tests = {test};
  findings::Step step;
  step.site = 1;
  Frame frame;
  frame.file = "/src/hb.c";
  frame.line = 5;
  step.stack.push_back(frame);
  finding.steps.push_back(step);
  return finding;
}

findings::TestResult Named(const std::string& name) {
  findings::TestResult test;
  test.name = name;
  return test;
}

// What `check` of one program says; `searched`: it went through every execution.
findings::Report Program(const std::vector<std::string>& prints, bool searched, const std::string& undecided = "") {
  findings::Report report;
  report.program = "./server";
  report.arguments = {"--once"};
  for (const std::string& print : prints) findings::AddFinding(report, Race(print));
  report.coverage.executions = 3;
  report.coverage.complete = searched;
  report.coverage.undecided = undecided;
  return report;
}

HistoryRun Numbered(uint64_t number, const findings::Report& report, const std::string& verb = "check") {
  HistoryRun run = RunOf(fmt::format("{}-{}", verb, number), report);
  run.number = number;
  return run;
}

TEST_F(HistoryOnDisk, ARunComesBackAsItWent) {
  HistoryRun run = Numbered(1, Program({"aaaa", "bbbb"}, true));
  run.time = "2026-11-17 07:30:12";
  run.revision = "6d8c029ab12f";
  EXPECT_FALSE(HistoryFile::Exists(root_));
  {
    Result<std::unique_ptr<HistoryFile>> file = HistoryFile::Open(root_);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE((*file)->Add(run));
    ASSERT_TRUE((*file)->Add(Numbered(2, Program({}, false, "cut"))));
  }
  Result<std::unique_ptr<HistoryFile>> file = HistoryFile::Open(root_);
  ASSERT_TRUE(file);
  Result<std::vector<HistoryRun>> runs = (*file)->Runs();
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 2U);
  EXPECT_EQ((*runs)[0].name, "check-1");
  EXPECT_EQ((*runs)[0].time, run.time);
  EXPECT_EQ((*runs)[0].revision, run.revision);
  EXPECT_EQ((*runs)[0].subjects, run.subjects);
  EXPECT_EQ((*runs)[0].sightings, run.sightings);
  EXPECT_EQ((*runs)[0].sightings[0].places, "hb.c:5");
  EXPECT_EQ((*runs)[1].undecided, "cut");
  findings::Report again = ReportOf((*runs)[0]);
  ASSERT_EQ(again.findings.size(), 2U);
  EXPECT_EQ(again.findings[0].fingerprint, "aaaa");
  EXPECT_EQ(findings::SitePlaces(again.findings[0]), "hb.c:5");
  EXPECT_TRUE(findings::SearchedAll(again.coverage));
}

TEST_F(HistoryOnDisk, OtherFilesAreRefused) {
  ASSERT_TRUE(WriteFileAtomic(root_ + "/history.db", std::string(5000, 'x')));
  Result<std::unique_ptr<HistoryFile>> file = HistoryFile::Open(root_);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("history.db: file is not a database"));
  std::filesystem::remove(root_ + "/history.db");
  Result<std::unique_ptr<SqlDatabase>> later = SqlDatabase::Open(root_ + "/history.db");
  ASSERT_TRUE(later);
  ASSERT_TRUE((*later)->Execute("PRAGMA user_version = 7"));
  file = HistoryFile::Open(root_);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("made by a later heddle"));
}

TEST(History, OpenWhileTheLastRunShowsIt) {
  std::vector<HistoryRun> runs = {Numbered(1, Program({"a"}, true)), Numbered(2, Program({"a"}, true))};
  std::vector<FindingStory> stories = Stories(runs);
  ASSERT_EQ(stories.size(), 1U);
  EXPECT_EQ(stories[0].state, FindingState::kOpen);
  EXPECT_EQ(stories[0].first->name, "check-1");
  EXPECT_EQ(stories[0].last->name, "check-2");
  EXPECT_EQ(stories[0].seen, 2U);
}

TEST(History, FixedOnlyByARunThatSawEveryExecution) {
  std::vector<HistoryRun> runs = {Numbered(1, Program({"a"}, true)), Numbered(2, Program({}, false))};
  EXPECT_EQ(Stories(runs)[0].state, FindingState::kGone);
  EXPECT_EQ(Stories(runs)[0].looked, 1U);
  runs.push_back(Numbered(3, Program({}, true)));
  EXPECT_EQ(Stories(runs)[0].state, FindingState::kFixed);
  EXPECT_EQ(Stories(runs)[0].absent->name, "check-2");
}

// All reorderings of one trace are not all executions.
TEST(History, APredictionOfOneTraceFixesNothing) {
  findings::Report predicted = Program({}, true);
  predicted.coverage.scope = findings::kOneTrace;
  std::vector<HistoryRun> runs = {Numbered(1, Program({"a"}, true)), Numbered(2, predicted)};
  EXPECT_EQ(Stories(runs)[0].state, FindingState::kGone);
}

TEST(History, RunsThatCannotTellChangeNothing) {
  findings::Report other = Program({}, true);
  other.arguments = {"--twice"};
  std::vector<HistoryRun> runs = {Numbered(1, Program({"a"}, true)), Numbered(2, Program({}, true, "killed")),
                                  Numbered(3, other), Numbered(4, Program({}, true), "detect")};
  std::vector<FindingStory> stories = Stories(runs);
  EXPECT_EQ(stories[0].state, FindingState::kOpen);
  EXPECT_EQ(stories[0].looked, 0U);
}

TEST(History, WhatCameBackIsOpen) {
  std::vector<HistoryRun> runs = {Numbered(1, Program({"a"}, true)), Numbered(2, Program({}, true)),
                                  Numbered(3, Program({"a", "b"}, true))};
  std::vector<FindingStory> stories = Stories(runs);
  ASSERT_EQ(stories.size(), 2U);
  EXPECT_EQ(stories[0].sighting->fingerprint, "b");  // the newest first
  EXPECT_EQ(stories[1].state, FindingState::kOpen);
  EXPECT_EQ(stories[1].back->name, "check-3");
}

// A finding of two tests is gone when both ran without it.
TEST(History, EachTestOfASuiteCounts) {
  findings::Report suite;
  suite.program = "ctest build";
  findings::Finding race = Race("a", "one");
  race.tests = {"one", "two"};
  findings::AddFinding(suite, race);
  suite.tests = {Named("one"), Named("two")};
  findings::Report filtered;
  filtered.program = "ctest build";
  filtered.tests = {Named("one")};
  filtered.tests[0].searched = true;
  std::vector<HistoryRun> runs = {Numbered(1, suite), Numbered(2, filtered)};
  EXPECT_THAT(runs[0].sightings[0].subjects, ElementsAre("test one", "test two"));
  EXPECT_EQ(Stories(runs)[0].state, FindingState::kOpen);
  EXPECT_EQ(Stories(runs)[0].looked, 1U);
  filtered.tests = {Named("two")};
  filtered.tests[0].end = findings::TestEnd::kUndecided;
  filtered.tests[0].reason = "cut";
  runs.push_back(Numbered(3, filtered));
  EXPECT_EQ(Stories(runs)[0].state, FindingState::kOpen);
  filtered.tests = {Named("two")};
  runs.push_back(Numbered(4, filtered));
  EXPECT_EQ(Stories(runs)[0].state, FindingState::kGone);
}

}  // namespace
}  // namespace heddle::analysis
