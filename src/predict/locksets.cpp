#include "predict/locksets.h"

#include <algorithm>

namespace heddle::predict {

using trace::Event;
using trace::Kind;

Locksets::Locksets() {
  auto [empty, added] = numbers_.emplace(LockSet{}, 0);
  sets_.push_back(&empty->first);
}

void Locksets::Add(const Event& event) {
  switch (event.kind) {
    case Kind::Lock:
      if (event.Succeeded()) {
        Take(event.thread, {event.address, trace::LockDetail::Unpack(event.detail).shared});
      }
      return;
    case Kind::Unlock:
      if (event.Succeeded()) Drop(event.thread, event.address);
      return;
    case Kind::CondWait:
      return Drop(event.thread, event.arg);
    case Kind::CondWake:
      return Take(event.thread, {event.arg, false});
    case Kind::ThreadEnd:
      if (event.thread < holding_.size()) holding_[event.thread].clear();
      if (event.thread < current_.size()) current_[event.thread] = 0;
      return;
    default:
      return;
  }
}

void Locksets::Take(uint32_t thread, LockInSet lock) {
  if (thread >= holding_.size()) {
    holding_.resize(thread + 1);
    current_.resize(thread + 1);
  }
  for (Holding& holding : holding_[thread]) {
    if (holding.held.lock == lock.lock) {
      ++holding.depth;
      return;
    }
  }
  holding_[thread].push_back({lock, 1});
  Intern(thread);
}

void Locksets::Drop(uint32_t thread, uint64_t lock) {
  if (thread >= holding_.size()) return;
  std::vector<Holding>& all = holding_[thread];
  auto found = std::find_if(all.begin(), all.end(), [&](const Holding& h) { return h.held.lock == lock; });
  if (found == all.end() || --found->depth > 0) return;
  all.erase(found);
  Intern(thread);
}

void Locksets::Intern(uint32_t thread) {
  LockSet set;
  for (const Holding& holding : holding_[thread]) set.push_back(holding.held);
  std::sort(set.begin(), set.end());
  auto [found, added] = numbers_.emplace(std::move(set), static_cast<uint32_t>(sets_.size()));
  if (added) sets_.push_back(&found->first);
  current_[thread] = found->second;
}

bool Locksets::Exclude(uint32_t a, uint32_t b) const {
  const LockSet& x = Set(a);
  const LockSet& y = Set(b);
  for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i].lock == y[j].lock) {
      if (!x[i].shared || !y[j].shared) return true;
      ++i;
      ++j;
    } else if (x[i].lock < y[j].lock) {
      ++i;
    } else {
      ++j;
    }
  }
  return false;
}

}  // namespace heddle::predict
