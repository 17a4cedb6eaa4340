#include "trace/convert/tessla_fields.h"

#include <charconv>

namespace heddle::trace {
namespace {

// What did not succeed did not happen, except that a wait that timed out has its mutex again.
bool Happened(const Event& event) {
  bool has_outcome = !event.IsPlainRead() && !event.IsPlainWrite() && !IsAtomic(event.kind);
  return !has_outcome || event.Succeeded() || event.kind == Kind::CondWake;
}

FieldValue Int(uint64_t value) { return {FieldType::kInt, static_cast<int64_t>(value), {}}; }
FieldValue Text(std::string_view text) { return {FieldType::kString, 0, text}; }

}  // namespace

FieldType TypeOf(TesslaValue value) {
  switch (value) {
    case TesslaValue::None:
      return FieldType::kNone;
    case TesslaValue::Order:
    case TesslaValue::RmwOp:
    case TesslaValue::UserName:
      return FieldType::kString;
    case TesslaValue::Stored:
      return FieldType::kBool;
    case TesslaValue::Unit:
      return FieldType::kUnit;
    default:
      return FieldType::kInt;
  }
}

TesslaFields::TesslaFields(const EventSource* source) : source_(source) {
  for (const TesslaRule& rule : kTesslaRules) rules_[static_cast<uint8_t>(rule.kind)][rule.shared ? 1 : 0] = &rule;
  for (auto [plain, ordered] :
       {std::pair(Kind::Read, Kind::OrderedRead), std::pair(Kind::ReadRange, Kind::OrderedRead),
        std::pair(Kind::Write, Kind::OrderedWrite), std::pair(Kind::WriteRange, Kind::OrderedWrite)}) {
    rules_[static_cast<uint8_t>(plain)][0] = rules_[static_cast<uint8_t>(ordered)][0];
  }
}

const TesslaRule* TesslaFields::Begin(const Event& event) {
  bool lock = event.kind == Kind::Lock || event.kind == Kind::Unlock;
  bool shared = lock && LockDetail::Unpack(event.detail).shared;
  const TesslaRule* rule = rules_[static_cast<uint8_t>(event.kind)][shared ? 1 : 0];
  if (rule == nullptr || !Happened(event)) return nullptr;
  ++time_;
  if (event.kind == Kind::CondSignal || event.kind == Kind::CondBroadcast) {
    if (signals_.empty()) signals_.resize(kSignals);
    signals_[event.sequence % kSignals] = {event.sequence, time_};
  }
  return rule;
}

int64_t TesslaFields::ThreadNumber(uint64_t thread) const {
  auto found = source_->info().threads.find(static_cast<uint32_t>(thread));
  if (found == source_->info().threads.end()) return static_cast<int64_t>(thread);
  const std::string& id = found->second.id;
  int64_t number = 0;
  auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  bool numeric = !id.empty() && error == std::errc() && end == id.data() + id.size() && number >= 0;
  return numeric ? number : static_cast<int64_t>(thread);
}

std::string_view TesslaFields::ThreadName(uint32_t thread, std::string* storage) const {
  auto found = source_->info().threads.find(thread);
  if (found != source_->info().threads.end() && !found->second.name.empty()) return found->second.name;
  *storage = source_->info().ThreadId(thread);
  return *storage;
}

FieldValue TesslaFields::Of(const Event& event, TesslaValue value) const {
  switch (value) {
    case TesslaValue::None:
      return {};
    case TesslaValue::Address:
      return Int(event.address);
    case TesslaValue::Size:
      return Int(event.AccessBytes());
    case TesslaValue::Arg:
      return Int(event.arg);
    case TesslaValue::Arg2:
      return Int(event.arg2);
    case TesslaValue::Arg3:
      return Int(event.arg3);
    case TesslaValue::Thread:
      return {FieldType::kInt, ThreadNumber(event.arg), {}};
    case TesslaValue::Order:
      return Text(OrderName(event.order));
    case TesslaValue::RmwOp:
      return Text(RmwOpName(event.result));
    case TesslaValue::Stored:
      return {FieldType::kBool, event.result != 0 ? 1 : 0, {}};
    case TesslaValue::Unit:
      return {FieldType::kUnit, 0, {}};
    case TesslaValue::UserName: {
      auto name = source_->info().strings.find(event.arg);
      return Text(name == source_->info().strings.end() ? std::string_view("?") : name->second);
    }
    case TesslaValue::WokenBy: {
      if (signals_.empty() || event.arg2 == 0) return {};
      const Signal& signal = signals_[event.arg2 % kSignals];
      return signal.sequence == event.arg2 ? Int(signal.time) : FieldValue{};
    }
  }
  return {};
}

}  // namespace heddle::trace
