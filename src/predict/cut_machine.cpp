#include "predict/cut_machine.h"

#include <algorithm>

namespace heddle::predict {

using trace::Kind;

CutMachine::CutMachine(const TraceModel* model, const Constraints* constraints)
    : model_(model),
      constraints_(constraints),
      cut_(model->threads.size()),
      locks_(model->locks),
      barriers_(model->barriers.size()),
      lost_(model->threads.size()),
      ignored_(model->locks) {
  for (const Semaphore& semaphore : model->semaphores) semaphores_.push_back(semaphore.initial);
}

bool CutMachine::MustMet(const SyncEvent& event) const {
  auto must = model_->Must(event);
  return std::all_of(must.begin(), must.end(), [&](const Need& need) { return cut_[need.thread] >= need.count; });
}

bool CutMachine::NeedsMet(const SyncEvent& event, uint32_t thread) const {
  if (event.must == 0 && event.data == 0 && event.act != Act::kWait) return true;
  if (event.must != 0 && !MustMet(event)) return false;
  if (event.act == Act::kWait && !constraints_->waits.empty() && constraints_->waits.contains({thread, cut_[thread]})) {
    if (SignalCame(thread)) return false;
  }
  if (event.data == 0 || !constraints_->KeepsData(thread, cut_[thread])) return true;
  auto data = model_->Data(event);
  return std::all_of(data.begin(), data.end(), [&](const Need& need) { return cut_[need.thread] >= need.count; });
}

bool CutMachine::Waits(uint32_t thread) const {
  const SyncEvent& event = Next(thread);
  if (!ObjectAllows(event, thread)) return true;
  if (MustMet(event)) return false;
  return cut_[thread] == 0 || (!trace::IsAtomic(event.kind) && event.kind != Kind::Acquire);
}

bool CutMachine::Enabled(uint32_t thread) const {
  const SyncEvent& event = Next(thread);
  return ObjectAllows(event, thread) && NeedsMet(event, thread);
}

bool CutMachine::ObjectAllows(const SyncEvent& event, uint32_t thread) const {
  switch (event.act) {
    case Act::kWake:
      if (lost_[thread] != 0) return false;
      [[fallthrough]];
    case Act::kLock:
      if (ignored_[event.object] == 0 && (locks_[event.object].held || locks_[event.object].readers != 0)) return false;
      break;
    case Act::kReadLock:
      if (ignored_[event.object] == 0 && locks_[event.object].held) return false;
      break;
    case Act::kSemWait:
      if (semaphores_[event.object] <= 0) return false;
      break;
    case Act::kBarrierEnter: {
      const Barrier& barrier = model_->barriers[event.object];
      const BarrierState& state = barriers_[event.object];
      if (!barrier.fixed && state.enters >= (state.exits / barrier.count + 1) * barrier.count) return false;
      break;
    }
    case Act::kBarrierExit: {
      const Barrier& barrier = model_->barriers[event.object];
      const BarrierState& state = barriers_[event.object];
      if (!barrier.fixed && state.enters < (state.exits / barrier.count + 1) * barrier.count) return false;
      break;
    }
    default:
      break;
  }
  return true;
}

bool CutMachine::Eager(const SyncEvent& event) const {
  switch (event.act) {
    case Act::kLock:
    case Act::kReadLock:
    case Act::kWake:
      return ignored_[event.object] != 0;
    case Act::kWait:
      return !constraints_->lost_signals;
    case Act::kSemWait:
      return false;
    case Act::kBarrierEnter:
      return model_->barriers[event.object].fixed;
    case Act::kFree:
      return !constraints_->lost_signals || (event.kind != Kind::CondSignal && event.kind != Kind::CondBroadcast);
    default:
      return true;
  }
}

void CutMachine::Apply(const SyncEvent& event, bool forward) {
  switch (event.act) {
    case Act::kLock:
    case Act::kWake:
      locks_[event.object].held = forward;
      return;
    case Act::kUnlock:
    case Act::kWait:
      locks_[event.object].held = !forward;
      return;
    case Act::kReadLock:
      locks_[event.object].readers += forward ? 1U : UINT32_MAX;
      return;
    case Act::kReadUnlock:
      locks_[event.object].readers += forward ? UINT32_MAX : 1U;
      return;
    case Act::kSemWait:
      semaphores_[event.object] -= forward ? 1 : -1;
      return;
    case Act::kSemPost:
      semaphores_[event.object] += forward ? 1 : -1;
      return;
    case Act::kBarrierEnter:
      barriers_[event.object].enters += forward ? 1U : UINT64_MAX;
      return;
    case Act::kBarrierExit:
      barriers_[event.object].exits += forward ? 1U : UINT64_MAX;
      return;
    case Act::kFree:
      return;
  }
}

// The thread is about to wait: whether what woke it in the run has happened already.
bool CutMachine::SignalCame(uint32_t thread) const {
  const std::vector<SyncEvent>& events = model_->threads[thread];
  uint32_t wake = cut_[thread] + 1;
  if (wake >= events.size() || events[wake].act != Act::kWake || events[wake].must == 0) return false;
  return MustMet(events[wake]);
}

void CutMachine::Perform(uint32_t thread) {
  const SyncEvent& event = Next(thread);
  if (constraints_->lost_signals && event.act == Act::kWait) lost_[thread] = SignalCame(thread) ? 1 : 0;
  Apply(event, true);
  ++cut_[thread];
}

void CutMachine::Undo(uint32_t thread) {
  --cut_[thread];
  const SyncEvent& event = Next(thread);
  Apply(event, false);
  if (event.act == Act::kWait) lost_[thread] = 0;
}

}  // namespace heddle::predict
