#include "deadlock/locksets/state.h"

#include <algorithm>
#include <functional>

namespace heddle::deadlock {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 31);
}

uint64_t Hash(const State& state) {
  uint64_t hash = state.most;
  std::hash<const void*> pointer;
  for (const MayLock& lock : state.held) {
    hash = Mix(hash, lock.loc * 16u + static_cast<uint64_t>(lock.mode) * 4 + lock.depth);
    hash = Mix(hash, pointer(lock.site));
    hash = Mix(hash, pointer(lock.root) + static_cast<uint64_t>(lock.offset));
    hash = Mix(hash, pointer(lock.pending));
  }
  for (const MustLock& lock : state.must) hash = Mix(hash, lock.loc * 2u + static_cast<uint64_t>(lock.mode) + 7);
  for (const LiveThread& thread : state.live) {
    hash = Mix(hash, thread.origin * 2u + (thread.many ? 1 : 0) + 11);
    hash = Mix(hash, pointer(thread.handle));
  }
  for (const Suspended& one : state.suspended) hash = Mix(hash, one.at * 64u + static_cast<uint64_t>(one.point) + 13);
  return hash;
}

constexpr size_t kMaxHeld = 24;

// One entry for each lock and mode, acquired somewhere. A superset of the state: nothing is released by name any more.
void Coarsen(State* state) {
  // What was held at entry stays apart: the caller knows it.
  std::map<std::tuple<LocId, Mode, bool>, MayLock> one;
  for (MayLock lock : state->held) {
    lock.root = nullptr;
    lock.offset = 0;
    lock.pending = nullptr;
    lock.when_nonzero = false;
    auto [place, fresh] = one.emplace(std::tuple(lock.loc, lock.mode, lock.site == nullptr), lock);
    if (fresh) continue;
    place->second.depth = std::max(place->second.depth, lock.depth);
    if (lock.order >= place->second.order) continue;
    place->second.order = lock.order;
    place->second.site = lock.site;
  }
  state->held.clear();
  for (const auto& [key, lock] : one) AddHeld(state, lock);
}

}  // namespace

void AddHeld(State* state, const MayLock& lock) {
  auto place = std::lower_bound(state->held.begin(), state->held.end(), lock);
  if (place == state->held.end() || !(*place == lock)) state->held.insert(place, lock);
}

void AddMust(State* state, MustLock lock) {
  auto place = std::lower_bound(state->must.begin(), state->must.end(), lock);
  if (place == state->must.end() || *place != lock) state->must.insert(place, lock);
}

void AddLive(State* state, LiveThread thread) {
  for (LiveThread& known : state->live) {
    if (known.origin != thread.origin) continue;
    known.many |= thread.many;
    if (known.handle != thread.handle) known.handle = nullptr;
    return;
  }
  state->live.insert(std::upper_bound(state->live.begin(), state->live.end(), thread), thread);
}

void SetSuspended(State* state, Suspended coroutine) {
  std::erase_if(state->suspended, [&](const Suspended& one) { return one.at == coroutine.at; });
  state->suspended.insert(std::upper_bound(state->suspended.begin(), state->suspended.end(), coroutine), coroutine);
}

void StateTable::SetAny(LocId any, std::function<bool(LocId)> covers) {
  any_ = any;
  covers_ = std::move(covers);
  covered_.clear();
}

void StateTable::TopAll(State top) {
  top_ = kNoState;
  top_ = Intern(std::move(top));
  ++blurred_;
}

bool StateTable::Covers(const MayLock& lock) {
  if (lock.loc == any_) return true;
  auto [place, fresh] = covered_.emplace(lock.loc, false);
  if (fresh) place->second = covers_(lock.loc);
  return place->second;
}

// One entry for all locks held at entry, and one for all acquired since. Also when such an entry is there already: it
// covers the others.
void StateTable::Blur(State* state) {
  if (any_ == kNoLoc) return;
  bool there = std::any_of(state->held.begin(), state->held.end(), [&](const MayLock& l) { return l.loc == any_; });
  if (!there && (state->held.empty() || (!blur_all_ && state->held.size() <= kMaxHeld))) return;
  if (blur_all_) state->must.clear();
  ++blurred_;
  std::vector<MayLock> held = std::move(state->held);
  state->held.clear();
  const MayLock* first = nullptr;
  bool at_entry = false;
  for (const MayLock& lock : held) {
    if (!Covers(lock))
      AddHeld(state, lock);
    else if (lock.site == nullptr)
      at_entry = true;
    else if (first == nullptr || lock.order < first->order)
      first = &lock;
  }
  MayLock all;
  all.loc = any_;
  all.depth = MayLock::kDeep;
  if (at_entry) AddHeld(state, all);
  if (first != nullptr) {
    all.site = first->site;
    all.order = first->order;
    AddHeld(state, all);
  }
  if (at_entry || first != nullptr) state->most = State::kManyHeld;
}

StateId StateTable::Intern(State state) {
  if (top_ != kNoState) return top_;
  if (state.held.size() > kMaxHeld) Coarsen(&state);
  Blur(&state);
  uint64_t hash = Hash(state);
  auto [begin, end] = index_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (states_[at->second] == state) return at->second;
  }
  auto id = static_cast<StateId>(states_.size());
  states_.push_back(std::move(state));
  index_.emplace(hash, id);
  return id;
}

StateId StateTable::Join(StateId a, StateId b) {
  if (a == b || b == kNoState) return a;
  if (a == kNoState) return b;
  if (a > b) std::swap(a, b);
  uint64_t key = (uint64_t{a} << 32) | b;
  auto known = joins_.find(key);
  if (known != joins_.end()) return known->second;
  State joined;
  const State &x = states_[a], &y = states_[b];
  std::set_union(x.held.begin(), x.held.end(), y.held.begin(), y.held.end(), std::back_inserter(joined.held));
  std::set_intersection(x.must.begin(), x.must.end(), y.must.begin(), y.must.end(), std::back_inserter(joined.must));
  std::set_intersection(x.suspended.begin(), x.suspended.end(), y.suspended.begin(), y.suspended.end(),
                        std::back_inserter(joined.suspended));
  joined.live = x.live;
  for (const LiveThread& thread : y.live) AddLive(&joined, thread);
  joined.most = std::max(x.most, y.most);
  StateId id = Intern(std::move(joined));
  joins_.emplace(key, id);
  return id;
}

}  // namespace heddle::deadlock
