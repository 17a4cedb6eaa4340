// Optimal DPOR for which critical sections that commute are independent. It begins with the assumption that all locks
// are of that kind; an execution that shows otherwise for some begins the search anew without them.
#pragma once

#include <memory>

#include "explore/commuting_locks.h"
#include "explore/search.h"

namespace heddle::explore {

class PrunedSearch final : public Search {
 public:
  explicit PrunedSearch(SearchOptions options);

  bool Next(Request* request) override;
  bool Executed(const Execution& execution) override;
  const Difference& difference() const override { return search_->difference(); }
  void Ahead(size_t most, std::vector<Request>* requests) const override { search_->Ahead(most, requests); }
  // What it would show depends on which locks matter.
  void FurtherAhead(size_t, const Known&, std::vector<Request>*) const override {}
  bool MayAsk(const Request& request) const override { return search_->MayAsk(request); }
  double Fraction() const override { return search_->Fraction(); }
  std::string Gap() const override { return search_->Gap(); }
  bool Cut() const override { return search_->Cut(); }
  std::string PruningText() const override;

 private:
  Execution Shown(const Execution& execution) const;
  // The first execution is the same in every search.
  bool BeginAnew();

  SearchOptions options_;
  CommutingLocks locks_;
  std::unique_ptr<Search> search_;
  std::unique_ptr<Execution> first_;
};

}  // namespace heddle::explore
