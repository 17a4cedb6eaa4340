// The compiled form against the interpreter: all golden cases and random specifications, built in one go.
#include "stream/run/compiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/core/random_spec.h"
#include "stream/golden.h"
#include "stream/test_support.h"

namespace heddle::stream {
namespace {

struct Subject {
  std::string name;
  std::string trace;
  BuiltSpec built;
};

std::vector<Subject> Subjects() {
  std::vector<Subject> subjects;
  for (const GoldenCase& test : ReadGolden(HEDDLE_SOURCE_DIR "/tests/stream/golden")) {
    BuiltSpec built = Build(test.parts.at("spec"), test.Options());
    if (!built.program) continue;
    std::string trace = test.parts.contains("in") ? test.parts.at("in") : "";
    subjects.push_back({test.file + ": " + test.name, trace, std::move(built)});
  }
  for (uint32_t seed = 1001; seed <= 1060; ++seed) {
    RandomSpec random(seed, false);
    std::string text = random.Specification();
    subjects.push_back({"seed " + std::to_string(seed) + "\n" + text, random.Trace(40), Build(text)});
  }
  return subjects;
}

TEST(Compiled, AgreesWithTheInterpreter) {
  std::vector<Subject> subjects = Subjects();
  std::vector<const Program*> programs;
  for (const Subject& subject : subjects) {
    ASSERT_TRUE(subject.built.program) << subject.name << subject.built.errors;
    programs.push_back(&*subject.built.program);
  }
  ASSERT_GE(programs.size(), 220U);
  auto machines = CompileMachines(programs, false);
  ASSERT_TRUE(machines) << machines.error().message;
  for (size_t i = 0; i < subjects.size(); ++i) {
    std::unique_ptr<Machine> interpreter = MakeInterpreter(*programs[i]);
    std::string expected_message;
    std::string message;
    std::vector<std::string> expected = RunLines(*programs[i], *interpreter, subjects[i].trace, &expected_message);
    EXPECT_EQ(RunLines(*programs[i], *(*machines)[i], subjects[i].trace, &message), expected) << subjects[i].name;
    EXPECT_EQ(message, expected_message) << subjects[i].name;
  }
}

TEST(Compiled, SaysSoWhenThereIsNoCompiler) {
  BuiltSpec built = Build("out 1 as x\n");
  setenv("CXX", "/nonexistent/compiler", 1);
  const Program* programs[] = {&*built.program};
  auto machines = CompileMachines(programs);
  unsetenv("CXX");
  ASSERT_FALSE(machines);
  EXPECT_EQ(machines.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace heddle::stream
