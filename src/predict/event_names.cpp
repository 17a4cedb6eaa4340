#include "predict/event_names.h"

#include <fmt/format.h>

#include "trace/user_event.h"

namespace heddle::predict {

using trace::Kind;
using trace::UserField;

namespace {

bool IsCondition(Kind kind) {
  return kind == Kind::CondSignal || kind == Kind::CondBroadcast || kind == Kind::CondWake;
}

std::string_view LockWord(Act act) {
  switch (act) {
    case Act::kLock:
      return "lock";
    case Act::kReadLock:
      return "rdlock";
    case Act::kUnlock:
    case Act::kReadUnlock:
    case Act::kWait:  // a wait begins by letting go
      return "unlock";
    case Act::kSemWait:
      return "sem_wait";
    case Act::kSemPost:
      return "sem_post";
    case Act::kBarrierEnter:
      return "barrier_enter";
    case Act::kBarrierExit:
      return "barrier_exit";
    default:
      return "";
  }
}

}  // namespace

EventNames::EventNames(const TraceModel& model, const std::map<uint64_t, std::string>& strings)
    : model_(model), strings_(strings) {
  for (const Place& place : model.places) {
    const SyncEvent& event = model.At(place);
    if (IsCondition(event.kind)) {
      conditions_.emplace(model.origins[event.order].address, static_cast<uint32_t>(conditions_.size()));
    }
    if (place.position != 0) continue;
    for (const Need& need : model.Must(event)) child_[{need.thread, need.count - 1}] = place.thread;
  }
  for (uint32_t i = 0; i < model.custom.size(); ++i) custom_[model.custom[i].order] = i;
}

std::string EventNames::OfCustom(Place place, const CustomEvent& event) const {
  auto text = strings_.find(event.name);
  std::optional<trace::UserShape> shape;
  if (text != strings_.end()) shape = trace::ShapeOfUserEvent(text->second);
  if (!shape) return "";
  std::string name = fmt::format("{}.{}", shape->name, place.thread);
  size_t captured = 0;
  for (const UserField& field : shape->fields) {
    bool value = field.kind == UserField::Kind::kCaptured && captured < event.values.size();
    name += "." + (value ? std::to_string(event.values[captured++]) : field.text);
  }
  return name;
}

std::string EventNames::Of(Place place) const {
  const SyncEvent& event = model_.At(place);
  if (auto custom = custom_.find(event.order); custom != custom_.end()) {
    return OfCustom(place, model_.custom[custom->second]);
  }
  if (IsCondition(event.kind)) {
    std::string_view word = event.kind == Kind::CondSignal ? "signal"
                            : event.kind == Kind::CondWake ? "wait"
                                                           : "broadcast";
    return fmt::format("{}.{}.{}", word, place.thread, conditions_.at(model_.origins[event.order].address));
  }
  if (std::string_view word = LockWord(event.act); !word.empty()) {
    return fmt::format("{}.{}.{}", word, place.thread, event.object);
  }
  if (event.kind == Kind::ThreadBegin) return fmt::format("start.{}", place.thread);
  if (event.kind == Kind::ThreadEnd) return fmt::format("end.{}", place.thread);
  if (event.kind == Kind::ThreadFork) {
    auto child = child_.find(place);
    return child == child_.end() ? "" : fmt::format("fork.{}.{}", place.thread, child->second);
  }
  bool joins = event.kind == Kind::ThreadJoin && event.must > 0;
  return joins ? fmt::format("join.{}.{}", place.thread, model_.Must(event)[0].thread) : "";
}

}  // namespace heddle::predict
