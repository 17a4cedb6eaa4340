// Every golden case on the interpreter and on the naive reference.
#include "stream/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "stream/test_support.h"

namespace heddle::stream {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

const std::vector<GoldenCase>& Cases() {
  static const auto* cases = new std::vector<GoldenCase>(ReadGolden(HEDDLE_SOURCE_DIR "/tests/stream/golden"));
  return *cases;
}

class Golden : public ::testing::TestWithParam<size_t> {};

TEST_P(Golden, Agrees) {
  const GoldenCase& test = Cases()[GetParam()];
  SCOPED_TRACE(test.file + ": " + test.name);
  BuiltSpec built = Build(test.parts.at("spec"), test.Options());
  bool wants_error = test.parts.contains("error");
  std::string wanted_error = wants_error ? SplitLines(test.parts.at("error"))[0] : "";
  if (!built.program) {
    ASSERT_TRUE(wants_error) << built.errors;
    EXPECT_THAT(built.errors, HasSubstr(wanted_error));
    return;
  }
  std::vector<std::string> expected = SplitLines(test.parts.contains("out") ? test.parts.at("out") : "");
  if (wants_error) expected.push_back("error");
  std::string message;
  std::string trace = test.parts.contains("in") ? test.parts.at("in") : "";
  std::unique_ptr<Machine> machine = MakeInterpreter(*built.program);
  EXPECT_THAT(RunLines(*built.program, *machine, trace, &message), UnorderedElementsAreArray(expected));
  if (wants_error) {
    EXPECT_THAT(message, HasSubstr(wanted_error));
  } else {
    EXPECT_EQ(message, "");
  }
  if (message.find("delay") == std::string::npos) {
    EXPECT_THAT(ReferenceLines(built.compiled->graph, trace), UnorderedElementsAreArray(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Golden, ::testing::Range(size_t{0}, Cases().size()));

TEST(GoldenFiles, AreManyAndHaveDistinctNames) {
  std::set<std::string> names;
  for (const GoldenCase& test : Cases()) EXPECT_TRUE(names.insert(test.file + test.name).second) << test.name;
  EXPECT_GE(Cases().size(), 150U);
}

}  // namespace
}  // namespace heddle::stream
