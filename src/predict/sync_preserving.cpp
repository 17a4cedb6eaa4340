#include "predict/sync_preserving.h"

#include <algorithm>

namespace heddle::predict {

SyncPreserving::SyncPreserving(const TraceModel* model)
    : model_(model), locks_(model->locks), posts_(model->semaphores.size()), enters_(model->barriers.size()) {
  Restart();
}

void SyncPreserving::Restart() {
  cut_.assign(model_->threads.size(), 0);
  done_ = cut_;
  work_.clear();
  ++stamp_;
  impossible_ = false;
}

void SyncPreserving::Raise(uint32_t thread, uint32_t count) {
  if (cut_[thread] >= count) return;
  if (cut_[thread] == done_[thread]) work_.push_back(thread);
  cut_[thread] = count;
}

void SyncPreserving::RaiseRelease(Place taken) {
  uint32_t release = model_->At(taken).mate;
  if (release == kNone) {
    impossible_ = true;  // the trace ends inside the section
    return;
  }
  Raise(taken.thread, release + 1);
}

void SyncPreserving::Take(Place place, const SyncEvent& event, bool shared) {
  LockState& lock = locks_[event.object];
  if (lock.stamp != stamp_) {
    lock.top = {kNone, {}};
    lock.readers.clear();
    lock.stamp = stamp_;
  }
  bool has_top = lock.top.order != kNone;
  if (has_top) RaiseRelease(lock.top.order < event.order ? lock.top.place : place);
  if (shared) {
    auto own = std::find_if(lock.readers.begin(), lock.readers.end(),
                            [&](const Taken& taken) { return taken.place.thread == place.thread; });
    if (own == lock.readers.end()) {
      lock.readers.push_back({event.order, place});
    } else {
      *own = {event.order, place};
    }
    return;
  }
  for (const Taken& reader : lock.readers) {
    RaiseRelease(reader.order < event.order ? reader.place : place);
  }
  if (!has_top || lock.top.order < event.order) lock.top = {event.order, place};
}

// All operations of the list with an order below `limit` are in.
void SyncPreserving::UpTo(const std::vector<uint32_t>& orders, Cursor& cursor, uint32_t limit) {
  if (cursor.stamp != stamp_) cursor = {0, stamp_};
  while (cursor.done < orders.size() && orders[cursor.done] < limit) {
    const Place& place = model_->places[orders[cursor.done++]];
    Raise(place.thread, place.position + 1);
  }
}

void SyncPreserving::Perform(Place place) {
  const SyncEvent& event = model_->At(place);
  for (const Need& need : model_->Must(event)) Raise(need.thread, need.count);
  for (const Need& need : model_->Data(event)) Raise(need.thread, need.count);
  switch (event.act) {
    case Act::kLock:
    case Act::kWake:
      return Take(place, event, false);
    case Act::kReadLock:
      return Take(place, event, true);
    case Act::kSemWait:
      return UpTo(model_->semaphores[event.object].posts, posts_[event.object], event.order);
    case Act::kBarrierEnter:
    case Act::kBarrierExit: {
      // A round that lacks a thread would be filled by one of the next: all earlier rounds are whole, and at an exit
      // its own.
      const Barrier& barrier = model_->barriers[event.object];
      size_t rounds = event.mate + (event.act == Act::kBarrierExit ? 1U : 0U);
      size_t enters = std::min(rounds * barrier.count, barrier.enters.size());
      if (enters != 0) UpTo(barrier.enters, enters_[event.object], barrier.enters[enters - 1] + 1);
      return;
    }
    default:
      return;
  }
}

bool SyncPreserving::Reaches(const Target& target) {
  for (const Place& place : target) Raise(place.thread, place.position);
  while (!work_.empty() && !impossible_) {
    uint32_t thread = work_.back();
    work_.pop_back();
    // Positions that are raised meanwhile are seen by the loop; one that was done is pushed again by Raise.
    while (done_[thread] < cut_[thread]) Perform({thread, done_[thread]++});
  }
  if (impossible_) return false;
  return std::all_of(target.begin(), target.end(),
                     [&](const Place& place) { return cut_[place.thread] == place.position; });
}

Witness SyncPreserving::MakeWitness() const {
  std::vector<uint32_t> orders;
  for (uint32_t thread = 0; thread < cut_.size(); ++thread) {
    for (uint32_t i = 0; i < cut_[thread]; ++i) orders.push_back(model_->threads[thread][i].order);
  }
  std::sort(orders.begin(), orders.end());
  Witness witness;
  for (uint32_t order : orders) witness.push_back(model_->places[order].thread);
  return witness;
}

}  // namespace heddle::predict
