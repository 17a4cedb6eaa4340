// What may and must hold at a point of a context: locks and running threads. States are interned: equal ones have one
// number.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "deadlock/input/primitives.h"
#include "deadlock/pointers/locations.h"

namespace llvm {
class CallBase;
class Value;
}  // namespace llvm

namespace heddle::deadlock {

using StateId = uint32_t;
inline constexpr StateId kNoState = UINT32_MAX;
using OriginId = uint32_t;

// A lock that may be held.
struct MayLock {
  static constexpr uint8_t kDeep = 3;  // this many times or more

  LocId loc = kNoLoc;
  Mode mode = Mode::kWrite;
  uint8_t depth = 1;                     // nth acquisition at this location, saturating at kDeep
  uint32_t order = 0;                    // of the site in the program: sorts the same in every run, as addresses do not
  const llvm::CallBase* site = nullptr;  // who acquired it; null: held at entry
  const llvm::Value* root = nullptr;     // acquired through root + offset, of this activation; null: not known
  int64_t offset = 0;
  const llvm::Value* pending = nullptr;  // held only if this value says so
  bool when_nonzero = false;             // by being nonzero, else by being zero

  auto Key() const { return std::tuple(loc, mode, depth, order, site, root, offset, pending, when_nonzero); }
  bool operator==(const MayLock& other) const { return Key() == other.Key(); }
  bool operator<(const MayLock& other) const { return Key() < other.Key(); }
};

struct MustLock {
  LocId loc = kNoLoc;
  Mode mode = Mode::kWrite;
  auto operator<=>(const MustLock&) const = default;
};

struct LiveThread {
  OriginId origin = 0;
  bool many = false;
  const llvm::Value* handle = nullptr;  // the variable that surely holds its handle, if one does
  auto operator<=>(const LiveThread&) const = default;
};

// The suspend point at which a coroutine surely stands: the number at `at`, in its frame (coroutines.h).
struct Suspended {
  LocId at = kNoLoc;
  int64_t point = 0;
  auto operator<=>(const Suspended&) const = default;
};

struct State {
  static constexpr uint8_t kManyHeld = 8;

  std::vector<MayLock> held;         // sorted; a superset of what is held
  std::vector<MustLock> must;        // sorted; surely held
  std::vector<LiveThread> live;      // sorted; started by this thread and perhaps running
  std::vector<Suspended> suspended;  // sorted
  uint8_t most = 0;                  // at most so many locks are held; kManyHeld: no limit known

  bool operator==(const State&) const = default;
};

class StateTable {
 public:
  // From now on, where more locks may be held than are worth telling apart, `any` stands for those that it covers. It
  // must overlap them all.
  void SetAny(LocId any, std::function<bool(LocId)> covers);
  LocId any() const { return any_; }
  // Do so for every lock from now on.
  void BlurAll() { blur_all_ = true; }
  // From now on there is only this state: everything may be held and run, nothing is certain.
  void TopAll(State top);
  bool only_top() const { return top_ != kNoState; }
  // States in which that happened.
  size_t blurred() const { return blurred_; }
  StateId Intern(State state);
  const State& operator[](StateId id) const { return states_[id]; }
  // Either may be kNoState (not reached).
  StateId Join(StateId a, StateId b);
  size_t size() const { return states_.size(); }

 private:
  bool Covers(const MayLock& lock);
  void Blur(State* state);

  LocId any_ = kNoLoc;
  std::function<bool(LocId)> covers_;
  std::unordered_map<LocId, bool> covered_;  // its answers
  StateId top_ = kNoState;
  size_t blurred_ = 0;
  bool blur_all_ = false;
  std::vector<State> states_;
  std::unordered_multimap<uint64_t, StateId> index_;
  std::unordered_map<uint64_t, StateId> joins_;
};

void AddHeld(State* state, const MayLock& lock);
void AddMust(State* state, MustLock lock);
void AddLive(State* state, LiveThread thread);
void SetSuspended(State* state, Suspended coroutine);

}  // namespace heddle::deadlock
