#include "predict/model_slice.h"

#include <algorithm>

namespace heddle::predict {
namespace {

using trace::Kind;

bool IsLockAct(Act act) { return Takes(act) || act == Act::kUnlock || act == Act::kReadUnlock || act == Act::kWait; }

class Slicer {
 public:
  Slicer(const TraceModel& model, const Constraints& constraints, bool lone_locks)
      : model_(model), constraints_(constraints) {
    for (const auto& events : model.threads) keep_.emplace_back(events.size(), false);
    FindLoneLocks(lone_locks);
  }

  ModelSlice Run() {
    for (const Place& place : model_.places) Mark(place);
    for (uint32_t thread = 0; thread < keep_.size(); ++thread) Number(thread);
    for (const Place& place : model_.places) {
      if (keep_[place.thread][place.position]) Copy(place);
    }
    CopyObjects();
    return std::move(slice_);
  }

 private:
  void FindLoneLocks(bool keep) {
    std::vector<uint32_t> user(model_.locks, kNone);
    lone_.assign(model_.locks, !keep);
    for (const Place& place : model_.places) {
      const SyncEvent& event = model_.At(place);
      if (!IsLockAct(event.act)) continue;
      uint32_t& first = user[event.object];
      // A wait ends by what another thread does, and then takes the lock again.
      if ((first != kNone && first != place.thread) || event.act == Act::kWait) lone_[event.object] = false;
      first = place.thread;
    }
  }

  std::span<const Need> Data(Place place) const {
    if (!constraints_.KeepsData(place.thread, place.position)) return {};
    return model_.Data(model_.At(place));
  }

  void Mark(Place place) {
    const SyncEvent& event = model_.At(place);
    bool lone = IsLockAct(event.act) && lone_[event.object];
    bool acts = event.act != Act::kFree && !lone;
    bool named = event.kind == Kind::User || event.kind == Kind::ThreadFork || event.kind == Kind::ThreadBegin ||
                 event.kind == Kind::ThreadEnd || event.kind == Kind::ThreadJoin || event.kind == Kind::CondSignal ||
                 event.kind == Kind::CondBroadcast;
    if (acts || named || event.must != 0 || !Data(place).empty()) keep_[place.thread][place.position] = true;
    for (const Need& need : model_.Must(event)) keep_[need.thread][need.count - 1] = true;
    for (const Need& need : Data(place)) keep_[need.thread][need.count - 1] = true;
  }

  void Number(uint32_t thread) {
    number_.emplace_back();
    slice_.original.emplace_back();
    slice_.model.threads.emplace_back();
    for (uint32_t i = 0; i < keep_[thread].size(); ++i) {
      number_.back().push_back(static_cast<uint32_t>(slice_.original.back().size()));
      if (keep_[thread][i]) slice_.original.back().push_back(i);
    }
  }

  Need Renumbered(Need need) const { return {need.thread, number_[need.thread][need.count - 1] + 1}; }

  void Copy(Place place) {
    TraceModel& made = slice_.model;
    SyncEvent event = model_.At(place);
    orders_.resize(model_.places.size(), kNone);
    orders_[event.order] = static_cast<uint32_t>(made.places.size());
    std::span<const Need> must = model_.Must(event);
    std::span<const Need> data = Data(place);
    made.origins.push_back(model_.origins[event.order]);
    event.order = static_cast<uint32_t>(made.places.size());
    if (Takes(event.act) && event.mate != kNone) event.mate = number_[place.thread][event.mate];
    event.needs = static_cast<uint32_t>(made.needs.size());
    event.data = static_cast<uint16_t>(data.size());
    for (const Need& need : must) made.needs.push_back(Renumbered(need));
    for (const Need& need : data) made.needs.push_back(Renumbered(need));
    if (IsLockAct(event.act) && lone_[event.object]) event.act = Act::kFree;
    made.places.push_back({place.thread, number_[place.thread][place.position]});
    made.threads[place.thread].push_back(event);
  }

  void CopyObjects() {
    TraceModel& made = slice_.model;
    orders_.resize(model_.places.size(), kNone);
    made.locks = model_.locks;
    made.lock_address = model_.lock_address;
    made.semaphores = model_.semaphores;
    for (Semaphore& semaphore : made.semaphores) {
      for (uint32_t& order : semaphore.posts) order = orders_[order];
    }
    made.barriers = model_.barriers;
    for (Barrier& barrier : made.barriers) {
      for (uint32_t& order : barrier.enters) order = orders_[order];
    }
    made.custom = model_.custom;
    for (CustomEvent& event : made.custom) event.order = orders_[event.order];
  }

  const TraceModel& model_;
  const Constraints& constraints_;
  std::vector<std::vector<bool>> keep_;
  std::vector<bool> lone_;
  std::vector<std::vector<uint32_t>> number_;
  std::vector<uint32_t> orders_;
  ModelSlice slice_;
};

}  // namespace

Witness ModelSlice::Expand(const Witness& witness) const {
  Witness whole;
  std::vector<uint32_t> performed(original.size());
  std::vector<uint32_t> done(original.size());
  for (uint32_t thread : witness) {
    for (uint32_t until = original[thread][performed[thread]++] + 1; done[thread] < until; ++done[thread]) {
      whole.push_back(thread);
    }
  }
  return whole;
}

ModelSlice Slice(const TraceModel& model, const Constraints& constraints, bool lone_locks) {
  return Slicer(model, constraints, lone_locks).Run();
}

}  // namespace heddle::predict
