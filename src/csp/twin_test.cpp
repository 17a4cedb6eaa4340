// The checker against a naive one: denotations of random processes, computed from the textbook clauses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "csp/csp.h"
#include "csp/testing/random_process.h"

namespace heddle::csp {
namespace {

using testing::Process;

constexpr int kProcesses = 14;  // in one script; every ordered pair is checked in the three models

void CompareScript(uint32_t seed, int depth, bool terms_only, size_t& pairs) {
  std::mt19937 random(seed);
  std::string text = "channel a, b, c\n";
  std::vector<Process> processes;
  for (int i = 0; i < kProcesses; ++i) {
    processes.push_back(testing::RandomProcess(random, depth));
    text += fmt::format("P{} = {}\n", i, processes.back().text);
  }
  std::vector<std::array<bool, 3>> expected;
  for (const Process& p : processes) {
    for (const Process& q : processes) {
      size_t i = static_cast<size_t>(&p - processes.data());
      size_t j = static_cast<size_t>(&q - processes.data());
      text += fmt::format("assert P{0} [T= P{1}\nassert P{0} [F= P{1}\nassert P{0} [FD= P{1}\n", i, j);
      expected.push_back({RefinesTraces(p.meaning, q.meaning), RefinesFailures(p.meaning, q.meaning),
                          RefinesDivergences(p.meaning, q.meaning)});
    }
  }
  Result<std::unique_ptr<Script>> script = Script::FromText("twin.csp", text, {});
  ASSERT_TRUE(script.ok()) << script.error().message << text;
  (*script)->UseTermsOnly(terms_only);
  std::vector<CheckResult> results = (*script)->CheckAll({});
  ASSERT_EQ(results.size(), expected.size() * 3);
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i].verdict == Verdict::kPassed, expected[i / 3][i % 3])
        << "seed " << seed << ": " << results[i].text << "\n"
        << results[i].error << results[i].explanation << "\n"
        << text;
    ASSERT_NE(results[i].verdict, Verdict::kUndecided) << results[i].reason;
  }
  pairs += expected.size();
}

TEST(Twin, AgreesInThreeModelsOnAHundredThousandPairs) {
  size_t pairs = 0;
  RunOnLargeStack([&] {
    for (uint32_t seed = 1; pairs < 100'000; ++seed) {
      CompareScript(seed, 2 + static_cast<int>(seed % 3), false, pairs);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
  if (!::testing::Test::HasFatalFailure()) {
    EXPECT_GE(pairs, 100'000u);
  }
}

// The rules on whole terms, without systems of leaves.
TEST(Twin, TermsAgreeToo) {
  size_t pairs = 0;
  RunOnLargeStack([&] {
    for (uint32_t seed = 100'000; pairs < 10'000; ++seed) {
      CompareScript(seed, 3, true, pairs);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

}  // namespace
}  // namespace heddle::csp
