// What acquisition histories exclude, no search finds.
#include "predict/acquisition.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "predict/cut_search.h"
#include "predict/model_builder.h"
#include "predict/random_trace.h"

namespace heddle::predict {
namespace {

class Acquisition : public testing::TestWithParam<RandomShape> {};

TEST_P(Acquisition, ExcludesOnlyWhatNoReorderingHas) {
  uint32_t excluded = 0;
  for (uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ModelBuilder builder;
    for (const trace::Event& event : RandomTrace(seed, GetParam()).Make()) builder.Add(event);
    TraceModel model = builder.Finish();
    for (uint32_t i = 0; i <= model.threads[0].size(); ++i) {
      for (uint32_t j = 0; j <= model.threads[1].size(); ++j) {
        Target target = {{0, i}, {1, j}};
        if (!HistoriesExclude(model, target)) continue;
        ++excluded;
        EXPECT_EQ(SearchTarget(model, target, {}, {}).verdict, Verdict::kAbsent) << i << " " << j;
      }
    }
  }
  EXPECT_GT(excluded, 0U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Acquisition,
                         testing::Values(RandomShape{2, 10, 3, 1}, RandomShape{2, 10, 3, 1, true},
                                         RandomShape{3, 8, 3, 1, true, true, false, true}));

}  // namespace
}  // namespace heddle::predict
