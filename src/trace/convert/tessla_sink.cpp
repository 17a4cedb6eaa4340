#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json.h"
#include "trace/convert/tessla.h"
#include "trace/convert/tessla_table.h"

namespace heddle::trace {
namespace {

const TesslaRule* RuleOf(const Event& event) {
  Kind kind = event.kind;
  if (event.IsPlainRead()) kind = Kind::OrderedRead;
  if (event.IsPlainWrite()) kind = Kind::OrderedWrite;
  bool lock = kind == Kind::Lock || kind == Kind::Unlock;
  bool shared = lock && LockDetail::Unpack(event.detail).shared;
  for (const TesslaRule& rule : kTesslaRules) {
    if (rule.kind == kind && rule.shared == shared) return &rule;
  }
  return nullptr;
}

// What did not succeed did not happen, except that a wait that timed out has its mutex again.
bool Happened(const Event& event) {
  bool has_outcome = !event.IsPlainRead() && !event.IsPlainWrite() && !IsAtomic(event.kind);
  return !has_outcome || event.Succeeded() || event.kind == Kind::CondWake;
}

}  // namespace

void TesslaSink::Put(std::string_view stream, std::string_view value) {
  fmt::format_to(std::back_inserter(text_), "{}: {} = {}\n", time_, stream, value);
}
void TesslaSink::Put(std::string_view stream, uint64_t value) {
  fmt::format_to(std::back_inserter(text_), "{}: {} = {}\n", time_, stream, static_cast<int64_t>(value));
}

// Threads of an imported text keep their numbers.
void TesslaSink::PutThread(std::string_view stream, uint64_t thread) {
  auto found = source_->info().threads.find(static_cast<uint32_t>(thread));
  bool numeric =
      found != source_->info().threads.end() && !found->second.id.empty() &&
      std::all_of(found->second.id.begin(), found->second.id.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (numeric) {
    Put(stream, std::string_view(found->second.id));
  } else {
    Put(stream, thread);
  }
}

void TesslaSink::PutName(uint32_t thread) {
  auto found = source_->info().threads.find(thread);
  bool named = found != source_->info().threads.end() && !found->second.name.empty();
  Put("threadname", JsonQuote(named ? found->second.name : source_->info().ThreadId(thread)));
}

void TesslaSink::PutField(const Event& event, const TesslaField& field) {
  switch (field.value) {
    case TesslaValue::None:
      return;
    case TesslaValue::Address:
      return Put(field.stream, event.address);
    case TesslaValue::Size:
      return Put(field.stream, event.AccessBytes());
    case TesslaValue::Arg:
      return Put(field.stream, event.arg);
    case TesslaValue::Arg2:
      return Put(field.stream, event.arg2);
    case TesslaValue::Arg3:
      return Put(field.stream, event.arg3);
    case TesslaValue::Thread:
      return PutThread(field.stream, event.arg);
    case TesslaValue::Order:
      return Put(field.stream, JsonQuote(OrderName(event.order)));
    case TesslaValue::RmwOp:
      return Put(field.stream, JsonQuote(RmwOpName(event.result)));
    case TesslaValue::Stored:
      return Put(field.stream, event.result != 0 ? "true" : "false");
    case TesslaValue::Unit:
      return Put(field.stream, "()");
    case TesslaValue::UserName: {
      auto name = source_->info().strings.find(event.arg);
      return Put(field.stream, JsonQuote(name == source_->info().strings.end() ? "?" : name->second));
    }
    case TesslaValue::WokenBy:
      if (auto signal = signal_times_.find(event.arg2); signal != signal_times_.end()) {
        Put(field.stream, signal->second);
      }
      return;
  }
}

void TesslaSink::PutPlace(uint64_t pc) {
  if (pc == 0) return;
  auto [found, added] = places_.try_emplace(pc);
  if (added) {
    Location location = locate_(pc);
    std::string& place = found->second;
    // An imported line number has no code address of its own.
    if (!LocationOfPc(source_->info(), pc)) place += fmt::format("pc = {}\n", pc);
    if (location.line != 0) place += fmt::format("line = {}\n", location.line);
    if (!location.function.empty()) place += fmt::format("function = {}\n", JsonQuote(location.function));
    if (!location.file.empty()) place += fmt::format("file = {}\n", JsonQuote(location.file));
  }
  std::string_view rest = found->second;
  while (!rest.empty()) {
    size_t end = rest.find('\n') + 1;
    fmt::format_to(std::back_inserter(text_), "{}: {}", time_, rest.substr(0, end));
    rest.remove_prefix(end);
  }
}

Status TesslaSink::Add(const Event& event) {
  if (event.kind == Kind::AtomicHigh) return {};  // the upper half of the atomic before it
  const TesslaRule* rule = RuleOf(event);
  if (rule == nullptr || !Happened(event)) {
    ++left_out_;
    return {};
  }
  ++time_;
  text_.clear();
  PutThread("threadid", event.thread);
  for (const TesslaField& field : rule->fields) PutField(event, field);
  if (event.kind == Kind::ThreadBegin) PutName(event.thread);
  if (event.kind == Kind::CondSignal || event.kind == Kind::CondBroadcast) signal_times_[event.sequence] = time_;
  PutPlace(event.pc);
  return out_->Append(text_);
}

}  // namespace heddle::trace
