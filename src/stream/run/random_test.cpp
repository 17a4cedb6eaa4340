// Random specifications: the optimised program on the interpreter against the naive reference on the plain graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/core/random_spec.h"
#include "stream/test_support.h"

namespace heddle::stream {
namespace {

void Compare(uint32_t seed, bool hardware, size_t steps) {
  RandomSpec random(seed, hardware);
  std::string text = random.Specification();
  std::string trace = random.Trace(steps);
  BuiltSpec built = Build(text);
  ASSERT_TRUE(built.program) << text << built.errors;
  std::unique_ptr<Machine> machine = MakeInterpreter(*built.program);
  ASSERT_EQ(RunLines(*built.program, *machine, trace), ReferenceLines(built.compiled->graph, trace))
      << "seed " << seed << "\n"
      << text << "---\n"
      << trace;
}

TEST(RandomSpecifications, InterpreterAgreesWithReference) {
  for (uint32_t seed = 1; seed <= 600; ++seed) Compare(seed, false, 30);
}

TEST(RandomSpecifications, HardwareFragmentAgreesWithReference) {
  for (uint32_t seed = 1; seed <= 200; ++seed) Compare(seed, true, 40);
}

}  // namespace
}  // namespace heddle::stream
