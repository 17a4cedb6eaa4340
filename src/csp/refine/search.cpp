#include "csp/refine/search.h"

#include "csp/refine/searcher.h"
#include "csp/refine/searcher_disk.h"
#include "csp/refine/searcher_ranks.h"

namespace heddle::csp {

template <int W>
Searcher<W>::Searcher(System& system, const Question& question, const Limits& limits, const KeyWidth& width)
    : system_(system),
      question_(question),
      limits_(limits),
      explorer_(system, width, question.reduce),
      tables_(static_cast<size_t>(std::max(1, question.jobs))),
      level_tables_(tables_.size()),
      workers_(tables_.size()) {
  for (Worker& worker : workers_) worker.out.resize(workers_.size());
  deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                     std::chrono::duration<double>(limits.seconds));
}

template <int W>
bool Searcher<W>::OverLimit() {
  size_t bytes = parents_.bytes() + choices_.bytes() + frontier_.bytes() + next_.bytes();
  bool failed = false;
  for (size_t i = 0; i < tables_.size(); ++i) {
    bytes += tables_[i].bytes() + level_tables_[i].bytes();
    failed |= tables_[i].failed() || level_tables_[i].failed();
  }
  bytes += tau_seen_.bytes() + system_.grown_bytes();
  failed |= tau_seen_.failed();
  if (disk_ != nullptr) {
    bytes += disk_->states.bytes();
    failed |= disk_->states.failed();
  }
  bool may_spill = !limits_.disk.empty() && disk_ == nullptr && !question_.reduce;
  uint64_t most = may_spill && limits_.disk_after != 0 ? limits_.disk_after : limits_.bytes;
  result_.bytes = std::max<uint64_t>(result_.bytes, bytes);
  if (limits_.cancel != nullptr && limits_.cancel->load(std::memory_order_relaxed)) {
    result_.stopped_by = "interrupted";
  } else if (limits_.states != 0 && count_ > limits_.states) {
    result_.stopped_by = "the limit on states";
  } else if (failed || (most != 0 && bytes + system_.evaluator().store().bytes() > most)) {
    result_.stopped_by = kMemoryLimit;
  } else if (limits_.seconds > 0 && std::chrono::steady_clock::now() > deadline_) {
    result_.stopped_by = "the time limit";
  } else if (count_ > 4'000'000'000u) {
    result_.stopped_by = "four thousand million states";
  }
  return !result_.stopped_by.empty();
}

template <int W>
typename Searcher<W>::Worker::Node& Searcher<W>::NodeOf(Worker& worker, uint32_t node) {
  if (node >= worker.nodes.size()) worker.nodes.resize(node + 1);
  return worker.nodes[node];
}

template <int W>
uint32_t Searcher<W>::NodeAfter(Worker& worker, uint32_t node, EventId event) {
  std::vector<uint32_t>& row = NodeOf(worker, node).after;
  if (event < row.size() && row[event] != kUnknown) return row[event];
  std::lock_guard<std::mutex> lock(explorer_.mutex());
  if (event >= row.size()) row.resize(system_.evaluator().event_count(), kUnknown);
  return row[event] = question_.spec->After(node, event);
}

template <int W>
bool Searcher<W>::SpecDiverges(Worker& worker, uint32_t node) {
  if (question_.spec == nullptr || !question_.check_divergence) return false;
  int8_t& diverges = NodeOf(worker, node).diverges;
  if (diverges < 0) {
    std::lock_guard<std::mutex> lock(explorer_.mutex());
    diverges = question_.spec->Diverges(node) ? 1 : 0;
  }
  return diverges == 1;
}

// Whether the node has a stable state that offers no more than this.
template <int W>
bool Searcher<W>::Allows(Worker& worker, uint32_t node, const std::vector<EventId>& offered) {
  if (question_.revivals) {
    std::lock_guard<std::mutex> lock(explorer_.mutex());
    return question_.spec->AcceptsRevivals(node, offered);
  }
  const std::vector<std::vector<EventId>>*& acceptances = NodeOf(worker, node).acceptances;
  if (acceptances == nullptr) {
    std::lock_guard<std::mutex> lock(explorer_.mutex());
    acceptances = &question_.spec->Acceptances(node);
  }
  return Spec::Accept(*acceptances, offered);
}

template <int W>
bool Searcher<W>::Terminated(const Key<W>& key) {
  System::State state = explorer_.Decode(key);
  const Format& format = system_.format(state.format);
  if (format.lazy) return OpOf(system_.LazyTerm(state.leaves[0])) == ProcOp::kOmega;
  return format.leaves.size() == 1 && format.leaves[0].machine->omega == static_cast<int64_t>(state.leaves[0]);
}

// Moves the specification along with a visible event; false and a violation when it cannot follow.
template <int W>
bool Searcher<W>::AfterEvent(Worker& worker, uint32_t node, EventId event, uint32_t number, uint32_t choice,
                             Key<W>& next) {
  if (event == kTau || question_.spec == nullptr) return true;
  uint32_t after = NodeAfter(worker, node, event);
  if (after == Spec::kNone) {
    if (!worker.wrong_event) {
      worker.wrong_event = true;
      worker.wrong_at = number;
      worker.wrong_choice = choice;
    }
    return false;
  }
  if (after != node || question_.refusals) explorer_.SetNode(next, after);
  return true;
}

// The checks on a state as a whole, once its steps are known.
template <int W>
void Searcher<W>::CheckOffered(Worker& worker, const Key<W>& key, uint32_t node, uint32_t number, bool any) {
  auto violates = [&](Violation violation) {
    worker.violation = violation;
    worker.at = number;
  };
  if (question_.check_deadlock && !any && !Terminated(key)) return violates(Violation::kDeadlock);
  if (!question_.check_failures && !question_.check_divergence) return;
  std::vector<EventId>& offered = worker.offered;
  bool stable = std::find(offered.begin(), offered.end(), kTau) == offered.end();
  bool ticks = std::find(offered.begin(), offered.end(), kTick) != offered.end();
  if (question_.check_divergence && !stable && Diverges(key)) return violates(Violation::kDivergence);
  if (!question_.check_failures || (!stable && !ticks)) return;
  std::sort(offered.begin(), offered.end());
  offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
  static const std::vector<EventId> only_tick{kTick};
  const std::vector<EventId>& effective = ticks ? only_tick : offered;
  if (!Allows(worker, node, effective)) violates(Violation::kFailure);
}

// In refusal testing: the node after a stable state has refused all that it does not offer; the node itself when the
// state is not stable, or when the specification has no such state (which CheckOffered reports).
template <int W>
uint32_t Searcher<W>::Refused(const Key<W>& key, uint32_t node) {
  std::vector<EventId> offered;
  explorer_.ForEach(key, [&](const auto& step, const Key<W>&) { offered.push_back(step.event); });
  std::sort(offered.begin(), offered.end());
  offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
  if (!offered.empty() && offered[0] <= kTick) return node;
  uint32_t restricted = question_.spec->Restrict(node, offered);
  return restricted == Spec::kNone ? node : restricted;
}

template <int W>
void Searcher<W>::ExpandState(Worker& worker, const Key<W>& key, uint32_t number) {
  uint32_t node = question_.spec == nullptr ? 0 : explorer_.NodeIn(key);
  if (SpecDiverges(worker, node)) return;
  bool gather = question_.check_failures || question_.check_divergence;
  if (question_.refusals) node = Refused(key, node);
  worker.offered.clear();
  uint32_t choice = 0;
  bool alone = worker.out.size() == 1;
  std::vector<Pending>& met = alone ? worker.out[0] : worker.met;
  explorer_.ForEach(key, [&](const auto& step, Key<W> next) {
    uint32_t mine = choice++;
    if (gather) worker.offered.push_back(step.event);
    bool deferred = next == Explorer<W>::Deferred();
    if (worker.wrong_event || !AfterEvent(worker, node, step.event, number, mine, next)) return;
    if (deferred) {
      worker.deferred = true;
      return;
    }
    uint64_t hash = StateTable<W>::Hash(next);
    if (worker.recent.Met(next, hash)) return;
    TableOf(next, OwnerOf(hash)).Prefetch(hash, alone);
    met.push_back({next, hash, number, mine});
  });
  if (!alone && met.size() >= 2 * kBatch) Sift(worker, kBatch);
  worker.transitions += choice;
  if (ChecksStates()) CheckOffered(worker, key, node, number, choice != 0);
}

// Only a stubborn set of steps, when there is one with a new successor; else all.
template <int W>
void Searcher<W>::ExpandReduced(Worker& worker, const Key<W>& key, uint32_t number) {
  const PackedFormat& packed = explorer_.PackedIn(key);
  if (reduction_.Find(packed, key, chosen_)) {
    bool fresh = false;
    uint32_t choice = 0;
    uint32_t taken = 0;
    explorer_.ForEach(key, [&](const auto& step, const Key<W>& next) {
      uint32_t mine = choice++;
      if (chosen_[packed.format->rules[step.rule].parts[0].leaf] == 0) return;
      ++taken;
      uint64_t hash = StateTable<W>::Hash(next);
      if (!tables_[0].Insert(next, hash)) return;
      fresh = true;
      Record({next, hash, number, mine});
    });
    worker.transitions += taken;
    if (fresh) return;
  }
  ExpandState(worker, key, number);
  Flush(worker.out[0]);
}

template <int W>
void Searcher<W>::Record(const Pending& pending) {
  if (pending.choice >= kWideChoice) wide_choices_[count_] = pending.choice;
  parents_.Push(pending.parent);
  choices_.Push(static_cast<uint16_t>(std::min(pending.choice, kWideChoice)));
  ++count_;
  next_.Push(pending.key);
}

template <int W>
void Searcher<W>::Flush(std::vector<Pending>& pending) {
  for (const Pending& p : pending) {
    if (TableOf(p.key, 0).Insert(p.key, p.hash)) Record(p);
  }
  pending.clear();
}

// All but the last kBatch, whose slots may still be on their way into the cache.
template <int W>
void Searcher<W>::FlushFirst(std::vector<Pending>& pending) {
  auto kept = pending.end() - kBatch;
  for (auto p = pending.begin(); p != kept; ++p) {
    if (TableOf(p->key, 0).Insert(p->key, p->hash)) Record(*p);
  }
  pending.erase(pending.begin(), kept);
}

template <int W>
bool Searcher<W>::Level() {
  Worker& worker = workers_[0];
  for (size_t i = 0; i < frontier_.size(); ++i) {
    uint32_t number = first_ + static_cast<uint32_t>(i);
    if (question_.reduce) {
      ExpandReduced(worker, frontier_.At(i), number);
    } else {
      ExpandState(worker, frontier_.At(i), number);
      if (worker.out[0].size() >= 2 * kBatch) FlushFirst(worker.out[0]);
    }
    if ((++ticks_ & 0x3FF) == 0 || (limits_.states != 0 && count_ > limits_.states)) {
      frontier_.DropBefore(i);
      if (OverLimit()) {
        expanded_ = i + 1;
        break;
      }
    }
    if (Done(worker)) break;
  }
  Flush(worker.out[0]);
  result_.transitions += worker.transitions;
  worker.transitions = 0;
  Report(worker);
  return worker.violation == Violation::kNone && result_.stopped_by.empty();
}

// While threads expand states the tables are only read: most successors are old, and go no further. All but the last
// `kept`, whose slots may still be on their way into the cache.
template <int W>
void Searcher<W>::Sift(Worker& worker, size_t kept) {
  auto end = worker.met.end() - static_cast<std::ptrdiff_t>(kept);
  for (auto p = worker.met.begin(); p != end; ++p) {
    size_t owner = OwnerOf(p->hash);
    if (!TableOf(p->key, owner).Has(p->key, p->hash)) worker.out[owner].push_back(*p);
  }
  worker.met.erase(worker.met.begin(), end);
}

// What comes first in the order of the states.
template <int W>
void Searcher<W>::TakeBest(Worker& best) {
  for (Worker& worker : workers_) {
    if (worker.violation != Violation::kNone && (best.violation == Violation::kNone || worker.at < best.at)) {
      best.violation = worker.violation;
      best.at = worker.at;
    }
    if (worker.wrong_event && (!best.wrong_event || worker.wrong_at < best.wrong_at)) {
      best.wrong_event = true;
      best.wrong_at = worker.wrong_at;
      best.wrong_choice = worker.wrong_choice;
    }
    result_.transitions += worker.transitions;
    worker.transitions = 0;
  }
}

// Numbers new states as one thread would: by parent and choice, in which each list is ordered. States that are near
// each other have successors in common, and RecentKeys finds those only while they stay near each other.
template <int W>
void Searcher<W>::RecordInOrder(std::vector<std::vector<Pending>>& lists) {
  std::vector<size_t> at(lists.size(), 0);
  auto place = [](const Pending& p) { return uint64_t{p.parent} << 32 | p.choice; };
  while (true) {
    size_t first = lists.size();
    uint64_t least = ~uint64_t{0};
    for (size_t l = 0; l < lists.size(); ++l) {
      if (at[l] == lists[l].size() || place(lists[l][at[l]]) >= least) continue;
      first = l;
      least = place(lists[l][at[l]]);
    }
    if (first == lists.size()) break;
    Record(lists[first][at[first]++]);
  }
  for (std::vector<Pending>& list : lists) list.clear();
}

// In rounds: each thread expands a stretch of the frontier into one list for each owner of a part of the states; then
// each owner takes in what is its own; then one thread numbers the new states.
template <int W>
bool Searcher<W>::LevelInParallel() {
  constexpr size_t kLongest = 1 << 15;  // beyond it the lists leave the cache; short ones wait for each other often
  constexpr size_t kAhead = 16;
  size_t jobs = tables_.size();
  size_t stretch = std::clamp<size_t>(frontier_.size() / (2 * jobs), 256, kLongest);
  std::vector<std::vector<Pending>> fresh(jobs);
  Worker best;
  size_t begin = 0;
  std::atomic<bool> stop = frontier_.size() == 0;  // set by the thread that numbers
  auto expand = [&](size_t j) {
    Worker& worker = workers_[j];
    size_t from = std::min(begin + j * stretch, frontier_.size());
    size_t to = std::min(from + stretch, frontier_.size());
    try {
      for (size_t i = from; i < to && !Done(worker); ++i) {
        ExpandState(worker, frontier_.At(i), first_ + static_cast<uint32_t>(i));
      }
      Sift(worker, 0);
    } catch (...) {
      worker.error = std::current_exception();
    }
  };
  auto take_in = [&](size_t owner) {
    for (Worker& worker : workers_) {
      std::vector<Pending>& list = worker.out[owner];
      for (size_t i = 0; i < list.size(); ++i) {
        if (i + kAhead < list.size()) {
          const Pending& later = list[i + kAhead];
          TableOf(later.key, owner).Prefetch(later.hash, true);
        }
        if (TableOf(list[i].key, owner).Insert(list[i].key, list[i].hash)) fresh[owner].push_back(list[i]);
      }
      list.clear();
    }
  };
  auto number = [&] {
    RecordInOrder(fresh);
    TakeBest(best);
    bool failed = std::any_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.error != nullptr; });
    begin += stretch * jobs;
    expanded_ = std::min(begin, frontier_.size());
    stop = failed || Done(best) || OverLimit() || begin >= frontier_.size();
  };
  std::barrier round(static_cast<std::ptrdiff_t>(jobs));
  auto run = [&](size_t j) {
    while (!stop.load()) {
      expand(j);
      round.arrive_and_wait();
      take_in(j);
      round.arrive_and_wait();
      if (j == 0) number();
      round.arrive_and_wait();
    }
  };
  std::vector<std::thread> threads;
  for (size_t j = 1; j < jobs; ++j) threads.emplace_back(run, j);
  run(0);
  for (std::thread& thread : threads) thread.join();
  for (const Worker& worker : workers_) {
    if (worker.error) std::rethrow_exception(worker.error);
  }
  Report(best);
  return best.violation == Violation::kNone && result_.stopped_by.empty();
}

template <int W>
void Searcher<W>::Report(Worker& worker) {
  if (worker.violation == Violation::kNone && worker.wrong_event) {
    worker.violation = Violation::kTrace;
    worker.at = worker.wrong_at;
  }
  if (worker.violation == Violation::kNone) return;
  result_.violation = worker.violation;
  Key<W> key = root_;
  uint32_t node = 0;
  for (uint32_t choice : ChoicesTo(worker.at)) {
    if (question_.refusals) node = Refused(key, node);
    AddStep(result_.path, key, choice);
    EventId event = result_.path.back().event;
    if (question_.spec != nullptr && event != kTau) node = question_.spec->After(node, event);
  }
  result_.node = node;
  explorer_.ForEach(key, [&](const auto& step, const Key<W>&) { result_.offered.push_back(step.event); });
  std::sort(result_.offered.begin(), result_.offered.end());
  result_.offered.erase(std::unique(result_.offered.begin(), result_.offered.end()), result_.offered.end());
  if (worker.violation == Violation::kTrace) AddStep(result_.path, key, worker.wrong_choice);
}

template <int W>
std::pair<uint32_t, uint32_t> Searcher<W>::CameFrom(uint32_t number) {
  if (disk_ != nullptr) {
    typename OnDisk::Origin origin{};
    disk_->origins.Read(number, 1, &origin);
    return {origin.parent, origin.choice};
  }
  return {parents_[number], choices_[number] == kWideChoice ? wide_choices_[number] : choices_[number]};
}

// From the root to the state.
template <int W>
std::vector<uint32_t> Searcher<W>::ChoicesTo(uint32_t number) {
  if (question_.peers != nullptr) return ChoicesOverRanks(number);
  std::vector<uint32_t> choices;
  while (number != 0) {
    auto [parent, choice] = CameFrom(number);
    choices.push_back(choice);
    number = parent;
  }
  std::reverse(choices.begin(), choices.end());
  return choices;
}

// Follows a choice. The node part of the key plays no role in what the implementation can do.
template <int W>
void Searcher<W>::AddStep(std::vector<PathStep>& path, Key<W>& key, uint32_t choice) {
  uint32_t at = 0;
  Key<W> next = key;
  PathStep result{kTau, {}};
  const Format& format = *explorer_.PackedIn(key).format;
  explorer_.ForEach(key, [&](const auto& step, const Key<W>& target) {
    if (at++ != choice) return;
    next = target;
    result.event = step.event;
    if (step.rule == Explorer<W>::kNoRule) return;
    for (const Rule::Part& part : format.rules[step.rule].parts) {
      if (part.event != kOmegaEvent) result.parts.emplace_back(format.leaves[part.leaf].name, part.event);
    }
  });
  key = next;
  path.push_back(std::move(result));
}

// Depth-first along taus; states proved not to diverge are remembered across calls. Whether a state diverges does not
// depend on the node of the specification.
template <int W>
bool Searcher<W>::Diverges(const Key<W>& state) {
  return question_.peers == nullptr ? DivergesIn(explorer_, state) : DivergesBeside(state);
}

template <int W>
bool Searcher<W>::DivergesIn(Explorer<W>& explorer, const Key<W>& state) {
  std::lock_guard<std::mutex> lock(divergence_mutex_);
  auto taus = [&](const Key<W>& key) {
    std::vector<Key<W>> out;
    explorer.ForEach(key, [&](const auto& step, const Key<W>& next) {
      if (step.event == kTau) out.push_back(next);
    });
    return out;
  };
  Key<W> root = state;
  explorer.SetNode(root, 0);
  if (!tau_seen_.Insert(root, StateTable<W>::Hash(root))) return false;
  struct Entry {
    Key<W> key;
    std::vector<Key<W>> next;
    size_t at = 0;
  };
  std::vector<Entry> path;
  path.push_back({root, taus(root), 0});
  tau_path_.insert(root);
  while (!path.empty()) {
    if (((++ticks_ & 0xFFF) == 0 || tau_seen_.failed()) && OverLimit()) return false;
    Entry& entry = path.back();
    if (entry.at == entry.next.size()) {
      tau_path_.erase(entry.key);
      path.pop_back();
      continue;
    }
    Key<W> target = entry.next[entry.at++];
    if (tau_seen_.Insert(target, StateTable<W>::Hash(target))) {
      path.push_back({target, taus(target), 0});
      tau_path_.insert(target);
    } else if (tau_path_.count(target) != 0) {
      return true;
    }
  }
  return false;
}

template <int W>
bool Searcher<W>::BeginLevel() {
  expanded_ = 0;
  if (disk_ != nullptr) {
    disk_->frontier = std::move(disk_->next);
    disk_->next = RecordFile(disk_->states.NewFile(), sizeof(Key<W>));
    first_ = count_ - static_cast<uint32_t>(disk_->frontier.size());
    return disk_->frontier.size() != 0;
  }
  frontier_ = std::move(next_);
  next_ = KeyQueue<W>();
  if (graded_) {
    for (StateTable<W>& table : level_tables_) table.Clear();
  }
  first_ = count_ - static_cast<uint32_t>(frontier_.size());
  return frontier_.size() != 0;
}

template <int W>
SearchResult Searcher<W>::Run() {
  root_ = explorer_.Encode(system_.Take(question_.implementation), 0);
  graded_ = question_.use_grades && !question_.reduce && IsGraded(system_.format(explorer_.FormatIn(root_)));
  if (graded_) explorer_.UseGraded(explorer_.FormatIn(root_));
  uint64_t hash = StateTable<W>::Hash(root_);
  tables_[OwnerOf(hash)].Insert(root_, hash);
  next_.Push(root_);
  parents_.Push(0);
  choices_.Push(0);
  count_ = 1;
  while (BeginLevel()) {
    if (!limits_.disk.empty() && disk_ == nullptr) OverLimit();
    bool go_on = result_.stopped_by.empty();
    if (go_on) go_on = disk_ != nullptr ? LevelOnDisk() : tables_.size() > 1 ? LevelInParallel() : Level();
    if (MustSpill()) {
      Spill();
      go_on = LevelOnDisk();
    }
    if (!go_on) break;
    ++result_.depth;
  }
  // Once more for the memory used; a search that has finished is not stopped by a limit any more.
  std::string stopped_by = result_.stopped_by;
  OverLimit();
  result_.stopped_by = stopped_by;
  result_.states = count_;
  if (disk_ != nullptr) result_.disk_bytes = DiskBytes();
  result_.complete = result_.violation != Violation::kNone || result_.stopped_by.empty();
  if (result_.violation != Violation::kNone) result_.stopped_by.clear();
  return std::move(result_);
}

namespace {

template <int W>
SearchResult Attempt(System& system, const Question& question, const Limits& limits, int format_bits, int node_bits) {
  Searcher<W> searcher(system, question, limits, KeyWidth{W, format_bits, node_bits});
  return question.peers == nullptr ? searcher.Run() : searcher.RunInRanks();
}

SearchResult StoppedBy(const std::string& reason) {
  SearchResult result;
  result.stopped_by = reason;
  return result;
}

}  // namespace

SearchResult Search(System& system, const Question& asked, const Limits& limits) {
  Question question = asked;
  // A divergence may lie in steps that a reduction leaves out, so it is looked for in full; and the reduction looks at
  // states in an order that threads would disturb.
  if (question.check_divergence) question.reduce = false;
  if (question.peers != nullptr) {
    question.reduce = false;
    question.jobs = 1;
  }
  if (question.reduce) question.jobs = 1;
  using AttemptFunction = SearchResult (*)(System&, const Question&, const Limits&, int, int);
  struct Width {
    AttemptFunction attempt;
    int format_bits;
    int node_bits;
  };
  static constexpr Width widths[] = {
      {Attempt<1>, 3, 6},   {Attempt<1>, 6, 14},  {Attempt<2>, 8, 20},   {Attempt<2>, 14, 28},
      {Attempt<4>, 16, 32}, {Attempt<8>, 16, 32}, {Attempt<16>, 16, 32}, {Attempt<32>, 16, 32},
  };
  for (size_t i = 0; i < std::size(widths);) {
    try {
      SearchResult result = widths[i].attempt(system, question, limits, widths[i].format_bits, widths[i].node_bits);
      // Threads find a divergence, and not always the first one.
      if (question.peers != nullptr || question.jobs == 1 || result.violation != Violation::kDivergence) return result;
      question.jobs = 1;
    } catch (const TooNarrow&) {
      ++i;
    } catch (const NotGraded&) {
      question.use_grades = false;
    } catch (const DiskFailed& failed) {
      return StoppedBy(failed.reason);
    } catch (const CannotShare& cannot) {
      return StoppedBy(cannot.reason);
    }
  }
  return StoppedBy("the width of a state (2000 bits)");
}

}  // namespace heddle::csp
