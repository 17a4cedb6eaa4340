// Stateless search by partial-order reduction: which executions to perform so that every class of equivalent ones is
// seen. Two executions are equivalent when one becomes the other by swapping neighbours that are independent.
//
// The path is the execution performed last, one state for each step. After an execution, HappensBefore gives its races:
// pairs of dependent steps that could have come the other way round. Each asks the state before its first step for
// something new: a thread (dpor: the persistent sets of Flanagan and Godefroid, POPL 2005, figure 2; source: the source
// sets of Abdulla et al., JACM 2017, algorithm 1) or a whole sequence that leads there (optimal: the same paper,
// algorithm 2, with wakeup trees). Next() goes back to the last state with something left, and takes it. What has been
// taken from a state sleeps in the states below until a dependent step wakes it, so no class is performed twice.
//
// Different here: operations may have to wait (happens_before.h), choices of the program and the stores that C11
// atomics read are branches as well, and with a bound on preemptions every dependent pair is reversed at once (Coons et
// al., OOPSLA 2013). Invariant: the prefix of each request was performed before, or follows from what was; an execution
// that goes another way is a divergence, and the search is no longer complete. Tests: search_test.cpp (exact numbers),
// random_programs_test.cpp (against all interleavings of random programs).
#include "explore/dpor.h"

#include <algorithm>
#include <array>

#include "explore/commuting_search.h"
#include "explore/missed_await.h"
#include "explore/pruned_search.h"

namespace heddle::explore {
namespace {

using wire::Role;
using wire::ThreadBits;

bool Reads(const std::vector<ExploredEvent>& sleeping, uint32_t thread) {
  return std::any_of(sleeping.begin(), sleeping.end(),
                     [&](const ExploredEvent& e) { return e.thread == thread && wire::Reads(e); });
}

Step StepOf(const ExploredEvent& event) {
  bool chosen = event.role == Role::kChoice || wire::IsC11(event);
  return {event.thread, chosen ? event.value : wire::kAnyValue};
}

}  // namespace

std::optional<Algorithm> AlgorithmNamed(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Algorithm>, 4> kNames = {{{"dfs", Algorithm::kDfs},
                                                                             {"dpor", Algorithm::kDpor},
                                                                             {"source", Algorithm::kSource},
                                                                             {"optimal", Algorithm::kOptimal}}};
  for (const auto& [known, algorithm] : kNames) {
    if (known == name) return algorithm;
  }
  return std::nullopt;
}

std::unique_ptr<Search> MakeSearch(const SearchOptions& options) {
  bool optimal = options.algorithm == Algorithm::kOptimal && !options.preemptions && !options.delays;
  if (options.prune && optimal) return std::make_unique<PrunedSearch>(options);
  bool sleeps = optimal || (options.algorithm == Algorithm::kSource && !options.preemptions && !options.delays);
  if (options.commute && sleeps) return std::make_unique<CommutingSearch>(options);
  return std::make_unique<Dpor>(options);
}

Dpor::Dpor(const SearchOptions& options) : options_(options) {}

Dpor::Dpor(Subtree subtree) : base_(subtree.base), below_(std::move(subtree.below)) {
  for (TreeState& given : subtree.path) {
    State state;
    static_cast<TreeState&>(state) = std::move(given);
    path_.push_back(std::move(state));
  }
  // What others have performed must come again.
  for (size_t i = 0; i + 1 < path_.size(); ++i) order_.Append(path_[i].event);
  given_ = true;
  started_ = path_.size() > base_;
  if (!started_) PlanBelow();
}

SubtreeRest Dpor::Leave() {
  SubtreeRest rest;
  if (base_ > 0) rest.root = path_[base_ - 1].event;
  for (size_t i = 0; i < base_; ++i) path_[i].tree.Sequences(i, &rest.asks);
  while (path_.size() > base_ && !path_.back().HasMore()) path_.pop_back();
  for (size_t i = base_; i < path_.size(); ++i) rest.own.push_back(std::move(static_cast<TreeState&>(path_[i])));
  path_.clear();
  return rest;
}

bool Dpor::Next(Request* request) {
  *request = {};
  if (started_) {
    while (path_.size() > base_ && !Advance()) path_.pop_back();
    if (path_.size() <= base_) return false;
  }
  started_ = true;
  if (path_.empty()) return true;
  changed_ = path_.size() - 1;
  for (const State& state : path_) request->prefix.push_back(StepOf(state.event));
  request->prefix.insert(request->prefix.end(), planned_.begin(), planned_.end());
  request->sleeping = path_.back().sleeping;
  request->sleep_from = changed_;
  return true;
}

void Dpor::Retire(State& state) {
  state.done.Add(state.event.thread);
  if (!UsesSleep()) return;
  if (wire::IsC11(state.event)) {
    // A load that slept may have read what came since: now it sleeps with respect to that as well.
    std::erase_if(state.sleeping, [&](const ExploredEvent& e) { return e.thread == state.event.thread; });
    state.event.second = path_.size() - 1;
  }
  state.TreeState::Retire();
}

bool Dpor::Advance() {
  State& state = path_.back();
  planned_.clear();
  below_ = WakeupTree();
  bool more = AdvanceValue(state);
  if (!more) {
    Retire(state);
    more = UsesTrees() ? AdvanceTree(state) : AdvanceThread(state);
  }
  if (more) ++state.taken;
  return more;
}

bool Dpor::AdvanceValue(State& state) {
  if (wire::IsC11(state.event) && !state.stores.empty()) {
    state.event.value = state.stores.back();
    state.stores.pop_back();
    return true;
  }
  return state.NextValue();
}

bool Dpor::AdvanceTree(State& state) {
  if (!state.NextBranch(&below_)) return false;
  PlanBelow();
  return true;
}

void Dpor::PlanBelow() {
  for (const WakeupTree* tree = &below_; !tree->empty(); tree = &tree->branches().front()->below) {
    planned_.push_back(StepOf(tree->branches().front()->event));
  }
}

uint32_t Dpor::Cost(uint32_t before, const ThreadBits& enabled, uint32_t thread) const {
  bool goes_on = before < wire::kMaxExplored && enabled.Has(before);
  if (before == thread) return 0;
  if (!options_.delays) return goes_on ? 1 : 0;
  ThreadBits passed_over = enabled & ThreadBits::Below(thread);
  if (goes_on) passed_over.Add(before);
  return passed_over.count();
}

void Dpor::Ahead(size_t most, std::vector<Request>* requests) const {
  if (!UsesTrees()) return;
  for (size_t i = path_.size(); i-- > 0;) {
    const State& state = path_[i];
    if (state.event.role == Role::kChoice) continue;
    std::vector<ExploredEvent> sleeping = state.sleeping;
    if (!Sleeps(sleeping, state.event.thread)) sleeping.push_back(state.event);
    for (const auto& branch : state.tree.branches()) {
      if (requests->size() == most) return;
      if (Sleeps(sleeping, branch->event.thread)) continue;
      Request request;
      for (size_t j = 0; j < i; ++j) request.prefix.push_back(StepOf(path_[j].event));
      request.prefix.push_back(StepOf(branch->event));
      for (const WakeupTree* tree = &branch->below; !tree->empty(); tree = &tree->branches().front()->below) {
        request.prefix.push_back(StepOf(tree->branches().front()->event));
      }
      request.sleeping = sleeping;
      request.sleep_from = i;
      requests->push_back(std::move(request));
      sleeping.push_back(branch->event);
    }
  }
}

Dpor::State Dpor::CopyOf(const State& state) {
  State copy;
  copy.event = state.event;
  copy.sleeping = state.sleeping;
  copy.values = state.values;
  copy.tree = state.tree.Copy();
  copy.taken = state.taken;
  copy.backtrack = state.backtrack;
  copy.done = state.done;
  copy.stores = state.stores;
  copy.fresh = state.fresh;
  copy.preemptions = state.preemptions;
  return copy;
}

Dpor::Dpor(const Dpor& other)
    : options_(other.options_),
      started_(other.started_),
      cut_(other.cut_),
      base_(other.base_),
      given_(other.given_),
      planned_(other.planned_),
      below_(other.below_.Copy()),
      order_(other.order_),
      overlap_(other.overlap_),
      missed_(other.missed_),
      changed_(other.changed_) {
  path_.reserve(other.path_.size());
  for (const State& state : other.path_) path_.push_back(CopyOf(state));
}

void Dpor::FurtherAhead(size_t most, const Known& known, std::vector<Request>* requests) const {
  if (!UsesTrees()) return;
  constexpr size_t kMostSteps = 64;
  Dpor ahead(*this);
  Request request;
  for (size_t i = 0; i < kMostSteps && requests->size() < most && ahead.Next(&request); ++i) {
    const Execution* execution = known(request);
    if (execution == nullptr) {
      requests->push_back(request);
    } else if (!ahead.Executed(*execution)) {
      return;
    }
  }
}

// Unless it leaves the path at a state that has taken its next step, or behind the path.
bool Dpor::MayAsk(const Request& request) const {
  size_t at = 0;
  auto on_path = [&] { return path_[at].event.thread == request.prefix[at].thread; };
  while (at < path_.size() && at < request.prefix.size() && at < request.sleep_from && on_path()) ++at;
  if (at >= path_.size() || at >= request.prefix.size()) return false;
  return !on_path() && !Sleeps(path_[at].sleeping, request.prefix[at].thread);
}

bool Dpor::WithinBound(const State& state, uint32_t thread) {
  if (!options_.preemptions && !options_.delays) return true;
  uint32_t before = path_.size() > 1 ? path_[path_.size() - 2].event.thread : wire::kMaxExplored;
  uint32_t most = options_.delays ? *options_.delays : *options_.preemptions;
  bool within = state.preemptions + Cost(before, state.event.enabled, thread) <= most;
  if (!within) cut_ = true;
  return within;
}

bool Dpor::AdvanceThread(State& state) {
  for (ThreadBits left = state.backtrack - state.done; !left.empty(); left.Remove(left.First())) {
    uint32_t thread = left.First();
    // A load that sleeps may have something new to read; the target knows.
    if (UsesSleep() && Sleeps(state.sleeping, thread) && !Reads(state.sleeping, thread)) continue;
    if (!WithinBound(state, thread)) continue;
    state.done.Add(thread);
    state.event.thread = static_cast<uint16_t>(thread);
    state.event.role = Role::kAccess;
    state.values = 0;
    state.fresh = true;
    return true;
  }
  return false;
}

uint32_t Dpor::Left(const State& state) const {
  auto stores = static_cast<uint32_t>(state.stores.size());
  if (UsesTrees()) return static_cast<uint32_t>(state.tree.size()) + stores;
  ThreadBits left = state.backtrack - state.done;
  left.Remove(state.event.thread);
  return stores + left.count();
}

double Dpor::Fraction() const {
  double part = 1;
  double explored = 0;
  for (const State& state : path_) {
    double branches = state.taken + Left(state);
    explored += part * (state.taken - 1) / branches;
    part /= branches;
  }
  return explored + part;
}

// The steps that were taken before must come again.
bool Dpor::Follows(const Execution& execution) {
  size_t known = std::min(changed_, order_.size());
  for (size_t i = 0; i < known; ++i) {
    const ExploredEvent& before = order_.event(i);
    bool absent = i >= execution.events.size();
    ExploredEvent now = absent ? ExploredEvent{} : execution.events[i];
    if (!absent && before.thread == now.thread && before.enabled.empty()) continue;  // known from a sequence only
    if (!absent && before.thread == now.thread && before.operation == now.operation && before.object == now.object &&
        before.enabled == now.enabled && (!wire::IsC11(before) || before.value == now.value)) {
      continue;
    }
    difference_ = {i, before, now, absent};
    return false;
  }
  if (execution.end != End::kDiverged && execution.events.size() > changed_) return true;
  if (execution.end == End::kAsleep) return true;  // a load that had nothing new to read
  if (execution.events.empty() && path_.empty() && execution.end != End::kDiverged) return true;
  difference_ = {execution.events.size(), path_.empty() ? ExploredEvent{} : path_.back().event, {}, true};
  return false;
}

void Dpor::Push(const ExploredEvent& event) {
  State state;
  if (!path_.empty()) {
    const State& last = path_.back();
    state.preemptions = last.preemptions;
    uint32_t before = path_.size() > 1 ? path_[path_.size() - 2].event.thread : wire::kMaxExplored;
    state.preemptions += Cost(before, last.event.enabled, last.event.thread);
    for (const ExploredEvent& sleeper : last.sleeping) {
      if (!wire::Dependent(sleeper, last.event)) state.sleeping.push_back(sleeper);
    }
  }
  state.event = event;
  state.backtrack = Reduces() ? ThreadBits::Of(event.thread) : event.enabled;
  path_.push_back(std::move(state));
}

// Persistent sets need operations that commute in every state; source sets and what builds on them take what the
// operations did in this one.
ExploredEvent Dpor::AsTaken(ExploredEvent event) const {
  bool persistent = options_.algorithm == Algorithm::kDpor || options_.preemptions;
  if (persistent && event.Has(wire::kMayWrite)) event.flags |= wire::kWrites;
  return event;
}

bool Dpor::Executed(const Execution& execution) {
  if (!Follows(execution)) return false;
  TakeGiven(execution);
  order_.Truncate(changed_);
  size_t options = 0;
  for (size_t i = 0; i < changed_; ++i) options += execution.events[i].options;
  for (size_t i = changed_; i < execution.events.size(); ++i) {
    ExploredEvent event = AsTaken(execution.events[i]);
    if (i < path_.size()) {
      path_[i].event = event;
      if (!Reduces()) path_[i].backtrack |= event.enabled;
    } else {
      Push(event);
      if (i > changed_ && !below_.empty()) {
        WakeupTree rest = std::move(below_);
        std::unique_ptr<WakeupTree::Branch> branch = rest.TakeFirst();
        below_ = std::move(branch->below);
        path_[i].tree = std::move(rest);
      }
    }
    TakeOptions(path_[i], execution, options);
    options += event.options;
    order_.Append(event);
    NoteOverlap(event);
  }
  // What a race asks a tree for depends on the whole execution, so old ones are looked at again.
  if (Reduces()) FindRaces(execution, UsesTrees() ? 0 : changed_);
  missed_ = missed_ || (execution.end != End::kAsleep && MayMissAwait(order_));
  return true;
}

// The first execution of a subtree shows the steps that lead to it as they are.
void Dpor::TakeGiven(const Execution& execution) {
  if (!given_) return;
  given_ = false;
  order_.Truncate(0);
  for (size_t i = 0; i < changed_; ++i) {
    path_[i].event = AsTaken(execution.events[i]);
    order_.Append(path_[i].event);
    NoteOverlap(path_[i].event);
  }
}

// Whether an operation depends on another must not be changed by a third that is independent of both. A conditional
// write over two variables does not keep to that.
void Dpor::NoteOverlap(const ExploredEvent& event) {
  if (event.bytes == 0 || !UsesSleep()) return;
  overlap_ = overlap_ || order_.OverlapsOther(event);
}

std::string Dpor::Gap() const {
  if (missed_) {
    return "a loop that waits may find a later value than the one it waits for, and wait for ever (--memory sc looks "
           "for that)";
  }
  return overlap_ ? "a compare-and-swap or the like overlaps an atomic of another size (--algorithm dpor covers it)"
                  : "";
}

// What else the event could have read, or where else it could have stood.
void Dpor::TakeOptions(State& state, const Execution& execution, size_t at) {
  if (!state.fresh) return;
  state.fresh = false;
  state.stores.clear();
  for (uint32_t i = state.event.options; i-- > 0;) {
    uint32_t store = execution.options[at + i];
    if (store != state.event.value) state.stores.push_back(store);
  }
}

void Dpor::FindRaces(const Execution& execution, size_t from) {
  if (options_.preemptions) return FindBounded(execution, from);
  for (size_t i = from; i < order_.size(); ++i) {
    for (size_t first : order_.Races(i)) Reverse(first, order_.event(i), i);
  }
  bool ended = order_.size() > 0 && order_.event(order_.size() - 1).Has(wire::kGlobal);
  for (const ExploredEvent& pending : execution.pending) {
    // The end of the process came first; a thread that could have gone might have done so before.
    size_t last = order_.size() - 1;
    bool could = ended && order_.event(last).operation != 0 && order_.event(last).enabled.Has(pending.thread);
    if (could && order_.event(last).thread != pending.thread) {
      Reverse(last, pending, order_.size());
      continue;
    }
    for (size_t first : order_.RacesOfPending(pending)) Reverse(first, pending, order_.size());
  }
}

// Without a bound it is enough to reverse the last dependent event: the ones before follow in later executions. Those
// may need more preemptions on the way than their end does, so with a bound every dependent event is reversed at once.
void Dpor::FindBounded(const Execution& execution, size_t from) {
  auto reverse_all = [this](const ExploredEvent& event, size_t position) {
    for (size_t i = 0; i < position; ++i) {
      const ExploredEvent& other = order_.event(i);
      if (other.thread == event.thread || !wire::Dependent(other, event)) continue;
      AskBounded(path_[i], event.thread);
      AskBounded(path_[BlockStart(i)], event.thread);
    }
  };
  for (size_t i = from; i < order_.size(); ++i) reverse_all(order_.event(i), i);
  for (const ExploredEvent& pending : execution.pending) reverse_all(pending, order_.size());
}

namespace {

// What does not happen after `first`, up to `last`, and then `reversed`. Nothing is copied: most sequences turn out to
// be covered within a few events.
struct ReversedRace {
  class Iterator {
   public:
    Iterator(const ReversedRace* race, size_t at) : race_(race), at_(at) { Pass(); }
    const ExploredEvent* operator*() const { return at_ == race_->last ? &race_->reversed : &race_->order.event(at_); }
    Iterator& operator++() {
      ++at_;
      Pass();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void Pass() {
      while (at_ < race_->last && race_->order.Before(race_->first, at_)) ++at_;
    }
    const ReversedRace* race_;
    size_t at_;
  };
  Iterator begin() const { return {this, first + 1}; }
  Iterator end() const { return {this, last + 1}; }

  const HappensBefore& order;
  size_t first;
  size_t last;
  const ExploredEvent& reversed;
};

}  // namespace

// `second` should come before `first`.
void Dpor::Reverse(size_t first, const ExploredEvent& second, size_t position) {
  // Wakeup trees need all that does not happen after `first`, also what came behind `second`: what a leaf of the tree
  // covers is said for whole executions ("Source Sets", algorithm 2, where races are looked for at the end of each).
  size_t end = UsesTrees() ? order_.size() : position;
  // The operation may do there what it did not do here: a compare-and-swap that failed succeeds.
  ExploredEvent reversed = order_.Without(first, second, position);
  State& state = path_[first];
  if (UsesTrees()) return state.Ask(ReversedRace{order_, first, end, reversed});
  std::vector<ExploredEvent> sequence;
  for (size_t i : order_.NotAfter(first, end)) sequence.push_back(order_.event(i));
  sequence.push_back(reversed);
  if (options_.algorithm == Algorithm::kSource) return AskSource(state, sequence);
  AskDpor(state, sequence, second.thread);
}

// Whether what the sleeper's thread does first in the sequence is what has been explored: a load that slept may read a
// store that came later.
bool Dpor::Covers(const ExploredEvent& sleeper, const std::vector<ExploredEvent>& sequence) const {
  auto own = std::find_if(sequence.begin(), sequence.end(),
                          [&](const ExploredEvent& event) { return event.thread == sleeper.thread; });
  if (own == sequence.end() || !wire::Reads(*own)) return true;
  return own->value == 0 || order_.StoreNamed(own->object, own->value) < sleeper.second;
}

void Dpor::AskSource(State& state, const std::vector<ExploredEvent>& sequence) {
  ThreadBits initials;
  for (size_t i = 0; i < sequence.size(); ++i) {
    bool initial = std::none_of(sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(i),
                                [&](const ExploredEvent& e) { return wire::Dependent(e, sequence[i]); });
    if (initial) initials.Add(sequence[i].thread);
  }
  for (const ExploredEvent& sleeper : state.sleeping) {
    if (initials.Has(sleeper.thread) && Covers(sleeper, sequence)) return;
  }
  if ((initials & state.backtrack).empty()) state.backtrack.Add(sequence.front().thread);
}

// Figure 2 of Flanagan and Godefroid, POPL 2005: the thread itself, else one that must go first, else all.
void Dpor::AskDpor(State& state, const std::vector<ExploredEvent>& sequence, uint32_t thread) {
  const ThreadBits& enabled = state.event.enabled;
  if (enabled.Has(thread)) {
    state.backtrack.Add(thread);
    return;
  }
  ThreadBits wanted;
  std::vector<const ExploredEvent*> needed = {&sequence.back()};
  for (size_t i = sequence.size() - 1; i-- > 0;) {
    bool leads = std::any_of(needed.begin(), needed.end(),
                             [&](const ExploredEvent* later) { return wire::Dependent(sequence[i], *later); });
    if (!leads) continue;
    needed.push_back(&sequence[i]);
    if (enabled.Has(sequence[i].thread)) wanted.Add(sequence[i].thread);
  }
  if (!(wanted & state.backtrack).empty()) return;
  state.backtrack |= wanted.empty() ? enabled : ThreadBits::Of(wanted.First());
}

void Dpor::AskBounded(State& state, uint32_t thread) {
  const ThreadBits& enabled = state.event.enabled;
  state.backtrack |= enabled.Has(thread) ? ThreadBits::Of(thread) : enabled;
}

// A switch in the middle of a thread's run may cost a preemption that one at its beginning does not.
size_t Dpor::BlockStart(size_t at) const {
  size_t start = at;
  while (start > 0 && path_[start - 1].event.thread == path_[at].event.thread) --start;
  return start;
}

}  // namespace heddle::explore
