// Races on the facts of the deadlock analysis: two accesses to memory that threads share, at least one a write, not
// both atomic, by threads that may run in parallel there, without a lock that both surely hold.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "deadlock/races/accesses.h"
#include "findings/finding.h"

namespace heddle::deadlock {

struct Race {
  const Access* first = nullptr;
  const Access* second = nullptr;
  std::pair<OriginId, OriginId> threads;
  int rank = 0;       // smaller is more precise
  size_t others = 0;  // more pairs of places for the same variable
  std::string name;   // of what they access
  // The lock that is held at most of the places that access it, if there is one: the variable is meant to be locked.
  LocId usual_lock = kNoLoc;
  size_t locked_places = 0, places = 0;
};

class Races {
 public:
  // The log must outlive it.
  Races(const Locksets& locksets, const AccessLog& log, const Handoffs& handoffs);

  // One for each variable or member, best first.
  const std::vector<Race>& races() const { return races_; }
  // All instructions that are part of some race.
  const std::set<const llvm::Instruction*>& racing() const { return racing_; }
  // Objects for which the budget of comparisons was used up: everything there is taken to race.
  size_t undecided() const { return undecided_; }
  size_t shared_accesses() const { return shared_accesses_; }

 private:
  // Accesses that behave alike.
  struct Group {
    const Access* example = nullptr;
    std::vector<const Access*> all;
    bool racing = false;
  };
  void SearchAll();
  // Flags that are plain variables order nothing if accesses to them race; true when there is a new one.
  bool Distrust();
  void Search(const std::vector<Access>& accesses);
  void Compare(Group& a, Group& b, std::map<std::string, Race>* best);
  void GiveUp(const std::vector<Access>& accesses, std::map<std::string, Race>* best);
  const std::string& NameOf(const Access& access);
  bool Conflict(const Access& a, const Access& b) const;
  bool Protected(const Access& a, const Access& b) const;
  // Threads of the two moments that may be there at the same time.
  bool Parallel(MomentId a, MomentId b, std::pair<OriginId, OriginId>* threads);
  bool LivesApart(OriginId x, OriginId y, const Moment& there) const;
  int Rank(const Race& race) const;
  void FindUsualLock(const std::vector<Access>& accesses, Race* race) const;

  const Locksets& locksets_;
  const AccessLog& log_;
  const Locations& locations_;
  std::map<std::pair<MomentId, MomentId>, std::pair<bool, std::pair<OriginId, OriginId>>> parallel_;
  std::map<LocId, std::string> names_;
  std::vector<Race> races_;
  std::set<const llvm::Instruction*> racing_;
  const Handoffs& handoffs_;
  std::set<LocId> distrusted_;
  size_t shared_accesses_ = 0, undecided_ = 0;
  uint64_t pairs_ = 0;
};

// Whether accesses of so many bytes at two locations of one object can have a byte in common.
bool CanTouch(const Loc& a, int64_t a_bytes, const Loc& b, int64_t b_bytes);

findings::Finding Describe(const Locksets& locksets, const AccessLog& log, const Race& race);

}  // namespace heddle::deadlock
