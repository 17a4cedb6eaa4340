// A search for which updates whose results nobody uses, and arrivals at a barrier that do not ask who was the last, are
// independent (ExploredEvent::commutes). It begins with the assumption that all of them are; an execution that shows
// otherwise for some objects begins the search anew without these. docs/explore.md ("Operations that commute") has the
// argument.
#pragma once

#include <memory>
#include <set>

#include "explore/search.h"

namespace heddle::explore {

// Objects at which the order matters all the same:
//   - memory that a loop or a futex waits for: two updates may both be needed, or both be too much, to let it go on;
//   - a barrier at which somebody comes to a round without knowing of all arrivals of an earlier one: more threads use
//     it than it has places, and who comes first decides who is in which round.
class CommutingObjects {
 public:
  // Looks at an execution. True: an object matters that was taken for one that does not.
  bool Learn(const Execution& execution);
  bool NoneMatters() const { return matter_.empty(); }
  // The event as the search sees it.
  ExploredEvent Shown(ExploredEvent event) const;
  Execution Shown(const Execution& execution) const;

 private:
  bool Commutes(const ExploredEvent& event) const;
  void CheckRounds(const Execution& execution);
  void Matters(uint64_t key);

  // Barriers by address, memory by its eight aligned bytes: an update that commutes does not leave them.
  std::set<uint64_t> seen_;
  std::set<uint64_t> matter_;
  bool found_ = false;  // in this execution: one of those that were seen
};

class CommutingSearch final : public Search {
 public:
  explicit CommutingSearch(SearchOptions options);

  bool Next(Request* request) override;
  bool Executed(const Execution& execution) override;
  const Difference& difference() const override { return search_->difference(); }
  void Ahead(size_t most, std::vector<Request>* requests) const override;
  void FurtherAhead(size_t most, const Known& known, std::vector<Request>* requests) const override;
  bool MayAsk(const Request& request) const override { return request.commute && search_->MayAsk(request); }
  double Fraction() const override { return search_->Fraction(); }
  bool Cut() const override { return search_->Cut(); }
  std::string Gap() const override { return search_->Gap(); }

 private:
  SearchOptions options_;
  CommutingObjects objects_;
  std::unique_ptr<Search> search_;
  std::unique_ptr<Execution> first_;  // the same in every search
};

}  // namespace heddle::explore
