#include "predict/window.h"

#include <algorithm>

#include "predict/model_builder.h"

namespace heddle::predict {

using trace::Event;
using trace::Kind;

void Carried::Take(uint32_t thread, uint64_t lock, uint8_t detail) {
  std::vector<Held>& all = held_[thread];
  auto found = std::find_if(all.begin(), all.end(), [&](const Held& held) { return held.lock == lock; });
  if (found != all.end()) {
    ++found->depth;
  } else {
    all.push_back({lock, detail, 1});
  }
}

void Carried::Drop(uint32_t thread, uint64_t lock) {
  std::vector<Held>& all = held_[thread];
  auto found = std::find_if(all.begin(), all.end(), [&](const Held& held) { return held.lock == lock; });
  if (found != all.end() && --found->depth == 0) all.erase(found);
}

void Carried::Add(const Event& event) {
  switch (event.kind) {
    case Kind::Lock:
      if (event.Succeeded()) Take(event.thread, event.address, event.detail);
      return;
    case Kind::Unlock:
      if (event.Succeeded()) Drop(event.thread, event.address);
      return;
    case Kind::CondWait:
      return Drop(event.thread, event.arg);
    case Kind::CondWake:
      return Take(event.thread, event.arg, 0);
    case Kind::SemInit:
      semaphores_[event.address] = static_cast<int64_t>(event.arg);
      return;
    case Kind::SemPost:
      if (event.Succeeded()) ++semaphores_[event.address];
      return;
    case Kind::SemWait:
      // Of a semaphore whose first value is not known, it was at least this much.
      if (event.Succeeded()) semaphores_[event.address] = std::max<int64_t>(0, semaphores_[event.address] - 1);
      return;
    case Kind::BarrierInit:
      barriers_[event.address] = {event.arg, {}};
      return;
    case Kind::BarrierEnter:
      barriers_[event.address].inside.push_back(event.thread);
      return;
    case Kind::BarrierExit:
      std::erase(barriers_[event.address].inside, event.thread);
      return;
    default:
      return;
  }
}

std::vector<Event> Carried::Events() const {
  std::vector<Event> events;
  auto add = [&](Kind kind, uint32_t thread, uint64_t address, uint64_t arg, uint8_t detail) {
    Event event;
    event.kind = kind;
    event.thread = thread;
    event.address = address;
    event.arg = arg;
    event.detail = detail;
    events.push_back(event);
  };
  for (const auto& [address, value] : semaphores_) {
    add(Kind::SemInit, 0, address, static_cast<uint64_t>(value), 0);
  }
  for (const auto& [address, meeting] : barriers_) {
    add(Kind::BarrierInit, 0, address, meeting.count, 0);
    for (uint32_t thread : meeting.inside) add(Kind::BarrierEnter, thread, address, 0, 0);
  }
  for (const auto& [thread, all] : held_) {
    for (const Held& held : all) {
      for (uint32_t i = 0; i < held.depth; ++i) add(Kind::Lock, thread, held.lock, 0, held.detail);
    }
  }
  return events;
}

bool WindowReader::Next(ModelledTrace* trace) {
  if (ended_) return false;
  Locksets locksets = std::move(trace->locksets);
  *trace = ModelledTrace();
  trace->locksets = std::move(locksets);
  ModelBuilder builder;
  if (windows_ > 0) {
    for (const Event& event : carried_.Events()) builder.Add(event);
    trace->carried = builder.EndPrefix();
  }
  Event event;
  constexpr uint64_t kLookEvery = 4096;  // of words read and written
  uint64_t work = 0;
  while (most_ == 0 || trace->events < most_) {
    if (work >= kLookEvery && deadline_.Passed()) trace->cut = true;
    if (work >= kLookEvery) work = 0;
    if (trace->cut || !source_->Next(&event)) {
      ended_ = true;
      break;
    }
    work += 1 + event.AccessBytes() / 8;
    trace->log.Add(event, trace->locksets, &builder);
    builder.Add(event);
    trace->locksets.Add(event);
    if (most_ != 0) carried_.Add(event);
    ++trace->events;
  }
  if (ended_ && trace->events == 0 && windows_ > 0) return false;
  ++windows_;
  trace->strings = source_->info().strings;
  trace->model = builder.Finish();
  for (uint32_t thread = 0; thread < trace->model.threads.size(); ++thread) {
    trace->threads.push_back(source_->info().ThreadId(thread));
  }
  return true;
}

}  // namespace heddle::predict
