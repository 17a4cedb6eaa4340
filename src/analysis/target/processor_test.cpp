#include "analysis/target/processor.h"

#include <gtest/gtest.h>

namespace heddle::analysis {
namespace {

TEST(Processor, FeaturesAreThoseThatCodeDependsOn) {
  EXPECT_EQ(FeaturesIn("processor\t: 0\nflags\t\t: fpu avx2 tsc avx popcnt\nbugs\t: x sha_ni\n"), "avx avx2 popcnt");
  EXPECT_EQ(FeaturesIn("processor : 0\n"), "");
}

TEST(Processor, DifferencesAreTold) {
  EXPECT_EQ(FeatureDifference("avx avx2", "avx avx2"), "");
  EXPECT_EQ(FeatureDifference("avx avx2 fma", "avx sha_ni"), "without avx2 fma, with sha_ni");
  EXPECT_EQ(FeatureDifference("avx", "avx avx2"), "with avx2");
  EXPECT_EQ(FeatureDifference("", "avx"), "");  // an older demo says nothing
}

}  // namespace
}  // namespace heddle::analysis
