// How many executions a search will perform in all, and how far off that may be.
//
// The search says which part of its tree it has explored, as if branches that it has not taken were as large as the
// others (Search::Fraction). They are not, and more come: an estimate moves while the search goes on. How much it moved
// while the number of executions doubled is taken for its error, and at least half of what is left. Nothing better is
// known of a tree that is found while it is explored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::analysis {

struct Estimate {
  double executions = 0;  // in all, abandoned ones too
  double error = 0;
};

class SearchEstimate {
 public:
  // After each execution; `fraction` is a function, called now and then.
  template <typename Fraction>
  void Count(Fraction fraction) {
    ++performed_;
    if ((performed_ & (performed_ - 1)) == 0) at_powers_.push_back(Of(fraction()));
  }
  Estimate Now(double fraction) const;

 private:
  double Of(double fraction) const { return static_cast<double>(performed_) / (fraction > 0 ? fraction : 1); }

  uint64_t performed_ = 0;
  std::vector<double> at_powers_;  // estimates after 1, 2, 4, 8, ... executions
};

// As a person would say it: "about 4200 ± 300", "roughly 1.5e+12".
std::string AboutText(const Estimate& estimate);
// Of what the first execution lets expect (explore/trace_estimate.h).
std::string ExpectedText(const Estimate& estimate);

}  // namespace heddle::analysis
