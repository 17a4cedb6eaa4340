// The lock graph (Lock Correctness, 4.6): who waits for what while holding what, and the cycles that cannot be ruled
// out.
#pragma once

#include "deadlock/locksets/contexts.h"

namespace heddle::deadlock {

// While holding `held`, a thread waits for `want`.
struct Edge {
  LocId held = kNoLoc, want = kNoLoc;
  Mode held_mode = Mode::kWrite, want_mode = Mode::kWrite;
  const llvm::CallBase* held_site = nullptr;  // null: at entry of the context
  const Wait* wait = nullptr;
  ContextId holder = kNoContext;  // where it was acquired, when that is another context (signal handlers)
  std::set<OriginId> origins;
  bool same_symbol = false;  // both through the same value: surely one lock
  bool surely_held = false;
  int ordered = 0;  // of two locks of one class: 1 ascending, -1 descending by address, 0 not known
};

enum class CycleKind : uint8_t {
  kCycle,      // threads that wait for each other
  kSelf,       // one thread waits for what it holds
  kSameClass,  // two locks of one class, in an order that nothing fixes
  kLeak,       // a thread ended with the lock
  kSignal,     // a handler waits for what the interrupted thread holds
  kGroup,      // a component too large to take apart
};

struct Cycle {
  CycleKind kind = CycleKind::kCycle;
  std::vector<const Edge*> edges;  // kLeak: none
  std::vector<OriginId> threads;   // one for each edge; kLeak: who ended, who waits
  const ThreadEnd* end = nullptr;  // kLeak
  const Wait* wait = nullptr;      // kLeak: who waits
  MayLock leaked;                  // kLeak
  int rank = 0;                    // smaller is more precise
  size_t others = 0;               // more choices of places for the same locks
};

struct GraphStats {
  size_t locks = 0, edges = 0, components = 0, checks = 0;
  bool complete = true;  // every component was taken apart
};

class LockGraph {
 public:
  explicit LockGraph(const Locksets& locksets);

  // Best first.
  const std::vector<Cycle>& cycles() const { return cycles_; }
  const GraphStats& stats() const { return stats_; }

 private:
  void AddEdges(const Wait& wait);
  void AddHandlerEdges();
  bool InHandler(const Wait& wait) const;
  bool CanInterrupt(const Wait& handler, const Wait& other) const;
  int Ordered(const MayLock& held, const Wait& wait) const;
  bool Contradict(const MayLock& held, LocId want, const Wait& wait) const;
  void Connect();
  void FindSelf();
  void FindLeaks();
  void FindCycles();
  void Search(const std::vector<LocId>& component);
  bool Choose(const std::vector<LocId>& path, std::vector<const Edge*>* chosen, std::vector<OriginId>* threads,
              size_t* budget);
  bool Compatible(const Edge& a, const Edge& b, std::pair<OriginId, OriginId>* threads);
  bool Gated(const Edge& a, const Edge& b) const;
  bool Follows(const Edge& a, const Edge& b) const;
  bool CanMeet(const Edge& a, OriginId x, const Edge& b, OriginId y) const;
  int Rank(const Cycle& cycle) const;

  const Locksets& locksets_;
  const Locations& locations_;
  std::vector<std::unique_ptr<Edge>> edges_;
  std::vector<std::unique_ptr<MayLock>> held_by_others_;
  // Nodes are the locations that are held. From one to the next go the edges that hold the first and want something
  // that may be the second: overlapping is not transitive, so there are no classes of equal locks.
  std::map<std::pair<LocId, LocId>, std::vector<const Edge*>> between_;
  std::map<LocId, std::set<LocId>> next_;  // other than itself
  std::vector<Cycle> cycles_;
  size_t check_limit_ = 0;  // of the component that is searched
  GraphStats stats_;
};

}  // namespace heddle::deadlock
