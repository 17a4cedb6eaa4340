#include "analysis/explore/search_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::analysis {
namespace {

std::string Rounded(double count) {
  constexpr double kReadable = 1e9;
  if (count >= kReadable) return fmt::format("{:.2g}", count);
  double unit = 1;
  while (count / unit >= 100) unit *= 10;
  return fmt::format("{:.0f}", std::round(count / unit) * unit);
}

}  // namespace

Estimate SearchEstimate::Now(double fraction) const {
  Estimate estimate;
  estimate.executions = Of(fraction);
  estimate.error = (estimate.executions - static_cast<double>(performed_)) / 2;
  size_t known = at_powers_.size();
  // The last power of two may have been a moment ago: the one before it is compared as well.
  for (size_t i = known < 2 ? 0 : known - 2; i < known; ++i) {
    estimate.error = std::max(estimate.error, std::abs(estimate.executions - at_powers_[i]));
  }
  if (known < 4) estimate.error = estimate.executions;
  return estimate;
}

std::string AboutText(const Estimate& estimate) {
  if (estimate.error > estimate.executions * 0.6) return "roughly " + Rounded(estimate.executions);
  if (estimate.error < estimate.executions / 100) return "about " + Rounded(estimate.executions);
  return fmt::format("about {} ± {}", Rounded(estimate.executions), Rounded(estimate.error));
}

std::string ExpectedText(const Estimate& estimate) {
  return AboutText(estimate) + " if all threads do the same in every order";
}

}  // namespace heddle::analysis
