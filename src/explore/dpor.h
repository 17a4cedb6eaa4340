// The four algorithms: one stack of states, one way to find races, three ways to remember what a race asks for.
#pragma once

#include <vector>

#include "explore/happens_before.h"
#include "explore/search.h"
#include "explore/subtree.h"
#include "explore/tree_state.h"
#include "explore/wakeup_tree.h"

namespace heddle::explore {

class Dpor final : public Search {
 public:
  explicit Dpor(const SearchOptions& options);
  // Optimal, without bounds: a part of a search that others share (shared_search.h).
  explicit Dpor(Subtree subtree);

  bool Next(Request* request) override;
  bool Executed(const Execution& execution) override;
  const Difference& difference() const override { return difference_; }
  void Ahead(size_t most, std::vector<Request>* requests) const override;
  void FurtherAhead(size_t most, const Known& known, std::vector<Request>* requests) const override;
  bool MayAsk(const Request& request) const override;
  double Fraction() const override;
  bool Cut() const override { return cut_; }
  std::string Gap() const override;
  // Ends the search of a subtree, between two executions: what it asks of others, and what is left of it.
  SubtreeRest Leave();

 private:
  // A state on the current path and what has been done from it; its tree only for the optimal search.
  struct State : TreeState {
    wire::ThreadBits backtrack;    // threads to take (all but optimal)
    wire::ThreadBits done;         // threads taken
    std::vector<uint32_t> stores;  // a C11 atomic: those still to read or follow
    bool fresh = true;             // another thread goes: `stores` is not known yet
    uint32_t preemptions = 0;      // before it; of delays in the same way
  };

  Dpor(const Dpor& other);
  static State CopyOf(const State& state);

  bool Reduces() const { return options_.algorithm != Algorithm::kDfs && !options_.delays; }
  // Not dpor: a thread that it wants to take and that sleeps may be the only one through which it would have found what
  // else to take.
  bool UsesSleep() const { return Reduces() && options_.algorithm >= Algorithm::kSource && !options_.preemptions; }
  bool UsesTrees() const { return Reduces() && options_.algorithm == Algorithm::kOptimal && !options_.preemptions; }

  // Takes the next branch of the last state; false when it has none left.
  bool Advance();
  bool AdvanceValue(State& state);
  bool AdvanceTree(State& state);
  void PlanBelow();
  bool AdvanceThread(State& state);
  void Retire(State& state);  // what it took last is explored
  bool WithinBound(const State& state, uint32_t thread);
  // What taking the thread costs where `enabled` can go and `before` went last.
  uint32_t Cost(uint32_t before, const wire::ThreadBits& enabled, uint32_t thread) const;
  uint32_t Left(const State& state) const;

  bool Covers(const ExploredEvent& sleeper, const std::vector<ExploredEvent>& sequence) const;
  ExploredEvent AsTaken(ExploredEvent event) const;
  bool Follows(const Execution& execution);
  void TakeGiven(const Execution& execution);
  void NoteOverlap(const ExploredEvent& event);
  void Push(const ExploredEvent& event);
  static void TakeOptions(State& state, const Execution& execution, size_t at);
  void FindRaces(const Execution& execution, size_t from);
  void FindBounded(const Execution& execution, size_t from);
  void Reverse(size_t first, const ExploredEvent& second, size_t position);
  void AskSource(State& state, const std::vector<ExploredEvent>& sequence);
  void AskDpor(State& state, const std::vector<ExploredEvent>& sequence, uint32_t thread);
  static void AskBounded(State& state, uint32_t thread);
  size_t BlockStart(size_t at) const;

  SearchOptions options_;
  bool started_ = false;
  bool cut_ = false;
  size_t base_ = 0;     // states before this one are others'
  bool given_ = false;  // the path is as others gave it
  std::vector<State> path_;
  std::vector<Step> planned_;  // behind the path: the rest of the branch
  WakeupTree below_;           // of the branch that was taken
  HappensBefore order_;
  bool overlap_ = false;  // of an operation that writes or not and one of another size
  bool missed_ = false;   // an await of C11 memory could have missed what it waited for
  size_t changed_ = 0;    // the path is new from here on
  Difference difference_;
};

}  // namespace heddle::explore
