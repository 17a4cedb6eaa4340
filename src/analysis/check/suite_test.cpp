#include "analysis/check/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseCtest, TakesCommandsAndProperties) {
  Result<std::vector<TestCase>> tests = ParseCtest(R"(Internal line
{"kind": "ctestInfo", "tests": [
  {"name": "a", "command": ["/b/a", "-x", "two words"],
   "properties": [{"name": "WORKING_DIRECTORY", "value": "/b"}, {"name": "ENVIRONMENT", "value": ["K=V", "L=W"]}]},
  {"name": "off", "command": ["/b/off"], "properties": [{"name": "DISABLED", "value": true}]},
  {"name": "not built"},
  {"name": "a", "command": ["/b/a2"], "properties": [{"name": "WILL_FAIL", "value": true}, 7,
    {"name": "SKIP_RETURN_CODE", "value": 77}, {"name": "PASS_REGULAR_EXPRESSION", "value": ["ok"]}]},
  3]})");
  ASSERT_TRUE(tests);
  ASSERT_EQ(tests->size(), 3U);
  EXPECT_EQ((*tests)[0], (TestCase{"a", {"/b/a", "-x", "two words"}, "/b", {"K=V", "L=W"}, false, 0, ""}));
  EXPECT_EQ((*tests)[1], (TestCase{"not built", {}, "", {}, false, 0, ""}));
  EXPECT_EQ((*tests)[2], (TestCase{"a (2)", {"/b/a2"}, "", {}, true, 77, "PASS_REGULAR_EXPRESSION"}));
}

TEST(ParseCtest, WhatIsNoListIsAnError) {
  for (const char* text : {"", "{", "[]", "{}", R"({"tests": 3})", "No tests were found!!!"}) {
    EXPECT_FALSE(ParseCtest(text)) << text;
  }
}

TEST(ParseGtestList, NamesEachTest) {
  Result<std::vector<TestCase>> tests = ParseGtestList("/b/t",
                                                       "Running main() from gtest_main.cc\n"
                                                       "Cache.\n  Get\n  Put\n"
                                                       "Typed/0.  # TypeParam = int\n  Works  # GetParam() = 4\n\n");
  ASSERT_TRUE(tests);
  ASSERT_EQ(tests->size(), 3U);
  EXPECT_EQ((*tests)[1].name, "Cache.Put");
  EXPECT_EQ((*tests)[2].name, "Typed/0.Works");
  EXPECT_THAT((*tests)[2].command, ElementsAre("/b/t", "--gtest_filter=Typed/0.Works"));
}

TEST(ParseTestFile, WordsAsInAShell) {
  Result<std::vector<TestCase>> tests = ParseTestFile("f", "# comment\n\n  ./a 'x y' \"z \\\" w\" q\\ r ''\r\n./b");
  ASSERT_TRUE(tests);
  ASSERT_EQ(tests->size(), 2U);
  EXPECT_THAT((*tests)[0].command, ElementsAre("./a", "x y", "z \" w", "q r", ""));
  EXPECT_THAT((*tests)[1].command, ElementsAre("./b"));
  Result<std::vector<TestCase>> wrong = ParseTestFile("f", "./a\n./b 'x");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("f:2: "));
  EXPECT_FALSE(ParseTestFile("f", "./b \\"));
}

}  // namespace
}  // namespace heddle::analysis
