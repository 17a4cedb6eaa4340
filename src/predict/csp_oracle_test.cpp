// The CSP engine as an oracle: the emitted script must give the same answers as the search over cuts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "csp/csp.h"
#include "predict/csp_model.h"
#include "predict/cut_search.h"
#include "predict/model_builder.h"
#include "predict/random_trace.h"

namespace heddle::predict {
namespace {

TraceModel ModelOf(const std::vector<trace::Event>& events) {
  ModelBuilder builder;
  for (const trace::Event& event : events) builder.Add(event);
  return builder.Finish();
}

// Some pairs of segments, near and far.
std::vector<Target> SomeTargets(const TraceModel& model, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Target> targets;
  for (int i = 0; i < 4; ++i) {
    auto a = static_cast<uint32_t>(random() % model.threads.size());
    auto b = static_cast<uint32_t>((a + 1 + random() % (model.threads.size() - 1)) % model.threads.size());
    targets.push_back({{a, static_cast<uint32_t>(random() % (model.threads[a].size() + 1))},
                       {b, static_cast<uint32_t>(random() % (model.threads[b].size() + 1))}});
  }
  return targets;
}

void Check(const TraceModel& model, const std::vector<Target>& targets) {
  auto script = csp::Script::FromText("model.csp", CspModel(model, targets), {});
  ASSERT_TRUE(script) << script.error().message;
  std::vector<csp::CheckResult> results = (*script)->CheckAll({});
  ASSERT_EQ(results.size(), targets.size() + 1);
  for (const csp::CheckResult& result : results) ASSERT_EQ(result.error, "");
  bool stuck = SearchStuck(model, {}, {}).verdict == Verdict::kFound;
  EXPECT_EQ(results[0].verdict == csp::Verdict::kFailed, stuck);
  for (size_t i = 0; i < targets.size(); ++i) {
    bool met = SearchTarget(model, targets[i], {}, {}).verdict == Verdict::kFound;
    EXPECT_EQ(results[i + 1].verdict == csp::Verdict::kFailed, met);
  }
}

class CspOracle : public testing::TestWithParam<RandomShape> {};

TEST_P(CspOracle, AgreesWithTheSearch) {
  for (uint64_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    TraceModel model = ModelOf(RandomTrace(seed, GetParam()).Make());
    Check(model, SomeTargets(model, seed));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CspOracle,
                         testing::Values(RandomShape{2, 8, 2, 1}, RandomShape{3, 6, 2, 1, true},
                                         RandomShape{3, 6, 2, 1, false, true, true, true}));

}  // namespace
}  // namespace heddle::predict
