#include "predict/witness_schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "sched/operation.h"

namespace heddle::predict {
namespace {

using trace::Kind;

uint8_t StepOf(Kind kind) {
  if (kind == Kind::OnceBegin || kind == Kind::OnceEnd || kind == Kind::OncePass) return sched::kOnceEnter;
  return sched::Code(kind);
}

}  // namespace

StepMap::StepMap(const TraceModel& model, const std::vector<std::string>& ids, const sched::Schedule& recorded)
    : recorded_(&recorded), ids_(ids), steps_(ids.size()), until_(ids.size()) {
  std::vector<uint32_t> number(recorded.threads.size(), kNone);
  for (uint32_t i = 0; i < number.size(); ++i) {
    auto found = std::find(ids.begin(), ids.end(), recorded.threads[i]);
    if (found != ids.end()) number[i] = static_cast<uint32_t>(found - ids.begin());
  }
  for (uint32_t run = 0; run < recorded.runs.size(); ++run) {
    const sched::ScheduleRun& at = recorded.runs[run];
    if (number[at.thread] == kNone) continue;  // a thread that did nothing that the trace has
    for (uint64_t i = 0; i < at.count; ++i) steps_[number[at.thread]].push_back({at.operation, run});
  }
  for (uint32_t thread = 0; thread < model.threads.size(); ++thread) Align(model, thread);
}

// Operations without a step (the begin of the first thread) are performed by themselves.
void StepMap::Align(const TraceModel& model, uint32_t thread) {
  const std::vector<Step>& steps = steps_[thread];
  uint32_t at = 0;
  for (const SyncEvent& event : model.threads[thread]) {
    uint8_t wanted = StepOf(event.kind);
    uint32_t next = at;
    while (next < steps.size() && steps[next].operation != wanted && steps[next].operation >= sched::kFirstOwn) ++next;
    if (next < steps.size() && steps[next].operation == wanted) at = next + 1;
    until_[thread].push_back(at);
  }
  for (uint32_t next = at; next < steps.size(); ++next) {
    if (steps[next].operation >= sched::kFirstOwn || !mismatch_.empty()) continue;
    mismatch_ = fmt::format("step {} of {} ({}) is not in the trace", next + 1, ids_[thread],
                            sched::OperationName(steps[next].operation));
  }
}

sched::Schedule StepMap::Make(const Witness& witness) const {
  sched::Schedule schedule;
  schedule.header = recorded_->header;
  std::vector<uint32_t> performed(ids_.size());
  std::vector<uint32_t> done(ids_.size());
  for (uint32_t thread : witness) {
    uint32_t until = until_[thread][performed[thread]++];
    uint32_t index = until > done[thread] ? schedule.ThreadIndex(ids_[thread]) : 0;
    for (; done[thread] < until; ++done[thread]) {
      const Step& step = steps_[thread][done[thread]];
      schedule.Add(index, step.operation, recorded_->runs[step.run].comment);
    }
  }
  return schedule;
}

std::optional<Place> StepMap::OperationAt(const Witness& witness, uint64_t step) const {
  std::vector<uint32_t> performed(ids_.size());
  std::vector<uint32_t> done(ids_.size());
  uint64_t at = 0;
  for (uint32_t thread : witness) {
    Place place{thread, performed[thread]};
    uint32_t until = until_[thread][performed[thread]++];
    at += until - done[thread];
    done[thread] = until;
    if (at > step) return place;
  }
  return std::nullopt;
}

}  // namespace heddle::predict
