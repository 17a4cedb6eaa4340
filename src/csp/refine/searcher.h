// The search for one key width; private to src/csp/refine.
#pragma once

#include <algorithm>
#include <barrier>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "csp/refine/disk.h"
#include "csp/refine/explorer.h"
#include "csp/refine/graded.h"
#include "csp/refine/reduction.h"
#include "csp/refine/search.h"

namespace heddle::csp {

// A growing array in pieces: no copying, and no moment with twice the memory.
template <typename T>
class Pieces {
 public:
  void Push(T value) {
    if ((size_ & (kPiece - 1)) == 0) pieces_.push_back(std::make_unique_for_overwrite<T[]>(kPiece));
    pieces_.back()[size_ & (kPiece - 1)] = value;
    ++size_;
  }
  T operator[](size_t i) const { return pieces_[i / kPiece][i & (kPiece - 1)]; }
  size_t bytes() const { return pieces_.size() * kPiece * sizeof(T); }

 private:
  static constexpr size_t kPiece = 1 << 10;
  std::vector<std::unique_ptr<T[]>> pieces_;
  size_t size_ = 0;
};

// A queue of keys that gives its memory back as it is read.
template <int W>
class KeyQueue {
 public:
  void Push(const Key<W>& key) {
    if (back_ == kPiece) {
      pieces_.push_back(std::make_unique_for_overwrite<Key<W>[]>(kPiece));
      back_ = 0;
    }
    pieces_.back()[back_++] = key;
    ++size_;
  }
  size_t size() const { return size_; }
  const Key<W>& At(size_t i) const { return pieces_[i / kPiece][i % kPiece]; }
  void DropBefore(size_t i) {
    while (dropped_ < i / kPiece) pieces_[dropped_++].reset();
  }
  size_t bytes() const { return (pieces_.size() - dropped_) * kPiece * sizeof(Key<W>); }

 private:
  static constexpr size_t kPiece = 1 << 9;
  std::vector<std::unique_ptr<Key<W>[]>> pieces_;
  size_t back_ = kPiece;
  size_t size_ = 0;
  size_t dropped_ = 0;
};

// The keys that a thread met last, as many as its own cache of the processor holds: one place for each value of some
// bits of the hash. A key that is there has been looked up already, so it is old, and no memory needs to be touched.
template <int W>
class RecentKeys {
 public:
  // True when the key was met lately; remembers it otherwise.
  bool Met(const Key<W>& key, uint64_t hash) {
    if (++asked_ > 4 * places_.size() && places_.size() < kPlaces) {
      places_.assign(std::clamp<size_t>(places_.size() * 8, 128, kPlaces), Key<W>{});  // small searches stay small
    }
    Key<W>& place = places_[hash & (places_.size() - 1)];
    if (place == key) return true;
    place = key;
    return false;
  }

 private:
  static constexpr size_t kPlaces = (size_t{1} << 15) / W;
  std::vector<Key<W>> places_;  // a power of two, or none
  size_t asked_ = 0;
};

template <int W>
class Searcher {
 public:
  Searcher(System& system, const Question& question, const Limits& limits, const KeyWidth& width);
  SearchResult Run();
  SearchResult RunInRanks();  // with other processes, see searcher_ranks.h

 private:
  struct Pending {
    Key<W> key;
    uint64_t hash;
    uint32_t parent;
    uint32_t choice;
  };
  // What one thread needs to expand states, and what it found.
  struct Worker {
    std::vector<EventId> offered;
    RecentKeys<W> recent;
    std::vector<Pending> met;               // successors that have not been looked up yet
    std::vector<std::vector<Pending>> out;  // by owner; in parallel only those that are not in its table yet
    uint64_t transitions = 0;
    Violation violation = Violation::kNone;
    uint32_t at = 0;  // the violating state's number
    // The first wrong event. A violation by a state of the same level has a path that is shorter by one, so the level
    // is looked through for one before this is reported.
    bool wrong_event = false;
    bool deferred = false;  // the state being expanded has a step whose target was not computed
    uint32_t wrong_at = 0;
    uint32_t wrong_choice = 0;
    std::exception_ptr error;
    // What the thread knows of the specification, by node: it is built as it is reached, under a lock.
    struct Node {
      std::vector<uint32_t> after;  // by event
      const std::vector<std::vector<EventId>>* acceptances = nullptr;
      int8_t diverges = -1;
    };
    std::vector<Node> nodes;
  };
  struct KeyHash {
    size_t operator()(const Key<W>& key) const { return StateTable<W>::Hash(key); }
  };

  static constexpr size_t kBatch = 32;
  static constexpr const char* kMemoryLimit = "the limit on memory";
  static constexpr uint32_t kWideChoice = 0xFFFF;
  static constexpr uint32_t kUnknown = Spec::kNone - 1;

  bool Level();  // false: stop
  bool LevelInParallel();
  bool BeginLevel();  // false: there is none
  bool MustSpill() const;
  void Spill();
  bool LevelOnDisk();
  void EndLevelOnDisk();
  uint64_t DiskBytes() const;

  // searcher_ranks.h
  struct Deferred {
    Key<W> key;
    uint32_t number;
    uint32_t rank;
  };
  struct Summary;
  void CheckRanksAgree(uint64_t spec_hash);
  bool LevelInRanks();
  void ExpandOwn(Summary& summary);
  void SendAway(bool all);
  void HearStates(int from, const std::string& message);
  void PerformDeferred();
  bool Agree(const Summary& mine);
  std::vector<uint32_t> ChoicesOverRanks(uint32_t number);
  void RecordFrom(const Pending& pending, int rank);
  bool DivergesBeside(const Key<W>& key);
  void ExpandState(Worker& worker, const Key<W>& key, uint32_t number);
  void ExpandReduced(Worker& worker, const Key<W>& key, uint32_t number);
  bool AfterEvent(Worker& worker, uint32_t node, EventId event, uint32_t number, uint32_t choice, Key<W>& next);
  void CheckOffered(Worker& worker, const Key<W>& key, uint32_t node, uint32_t number, bool any);
  typename Worker::Node& NodeOf(Worker& worker, uint32_t node);
  uint32_t NodeAfter(Worker& worker, uint32_t node, EventId event);
  bool Allows(Worker& worker, uint32_t node, const std::vector<EventId>& offered);
  uint32_t Refused(const Key<W>& key, uint32_t node);
  bool SpecDiverges(Worker& worker, uint32_t node);
  bool Terminated(const Key<W>& key);
  bool Diverges(const Key<W>& key);
  bool DivergesIn(Explorer<W>& explorer, const Key<W>& key);
  void Flush(std::vector<Pending>& pending);
  void FlushFirst(std::vector<Pending>& pending);
  void Sift(Worker& worker, size_t kept);
  void TakeBest(Worker& best);
  size_t OwnerOf(uint64_t hash) const { return (hash >> 52) * tables_.size() >> 12; }
  StateTable<W>& TableOf(const Key<W>& key, size_t owner) {
    return (graded_ && explorer_.InGraded(key) ? level_tables_ : tables_)[owner];
  }
  void Record(const Pending& pending);
  void RecordInOrder(std::vector<std::vector<Pending>>& lists);
  bool OverLimit();
  std::pair<uint32_t, uint32_t> CameFrom(uint32_t number);  // its parent, and which successor of it
  std::vector<uint32_t> ChoicesTo(uint32_t number);
  void AddStep(std::vector<PathStep>& path, Key<W>& key, uint32_t choice);
  bool ChecksStates() const {
    return question_.check_failures || question_.check_divergence || question_.check_deadlock;
  }
  bool Done(const Worker& worker) const {
    return worker.violation != Violation::kNone || (worker.wrong_event && !ChecksStates());
  }
  void Report(Worker& worker);

  System& system_;
  Question question_;
  Limits limits_;
  Explorer<W> explorer_;
  std::vector<StateTable<W>> tables_;        // one for each job
  bool graded_ = false;                      // states of the root's format are only looked for in level_tables_
  std::vector<StateTable<W>> level_tables_;  // the graded states of the level being made, for each job
  KeyQueue<W> frontier_;
  KeyQueue<W> next_;
  uint32_t first_ = 0;  // number of the frontier's first state
  uint32_t count_ = 0;
  Pieces<uint32_t> parents_;
  Pieces<uint16_t> choices_;
  std::unordered_map<uint32_t, uint32_t> wide_choices_;
  // Once the search goes on on disk: everything from the tables to the choices is here.
  struct OnDisk {
    OnDisk(const std::string& folder, uint64_t bytes)
        : states(folder, bytes),
          frontier(states.NewFile(), sizeof(Key<W>)),
          next(states.NewFile(), sizeof(Key<W>)),
          origins(states.NewFile(), sizeof(Origin)) {}
    struct Origin {
      uint32_t parent;
      uint32_t choice;
    };
    DiskStates<W> states;
    RecordFile frontier;
    RecordFile next;
    RecordFile origins;  // by number
  };
  std::unique_ptr<OnDisk> disk_;
  size_t expanded_ = 0;          // how many of the frontier have been expanded when a limit stopped a level
  std::vector<Worker> workers_;  // one for each job
  std::mutex divergence_mutex_;  // of the next two
  StateTable<W> tau_seen_;       // by the search for divergence; the node is 0 in these keys
  std::unordered_set<Key<W>, KeyHash> tau_path_;  // those on its path
  // With other processes: where the parents are, what waits for the end of the level, and whose violation it is.
  Pieces<uint16_t> parent_ranks_;
  std::vector<Deferred> deferred_;
  uint16_t violating_rank_ = 0;
  uint64_t all_states_ = 0;
  std::unique_ptr<Explorer<W>> tau_explorer_;  // numbers formats as it likes, so that it may go ahead of the others
  std::vector<uint8_t> chosen_;
  Reduction<W> reduction_;
  Key<W> root_{};
  SearchResult result_;
  std::chrono::steady_clock::time_point deadline_;
  uint64_t ticks_ = 0;
};

}  // namespace heddle::csp
