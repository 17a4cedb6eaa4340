#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/near.h"
#include "base/source.h"
#include "trace/convert/tessla.h"
#include "trace/convert/tessla_table.h"
#include "trace/format.h"

namespace heddle::trace {
namespace {

constexpr uint8_t kUnknownSize = 8;

std::vector<std::string_view> AllStreams() {
  std::vector<std::string_view> all(kTesslaContext.begin(), kTesslaContext.end());
  all.insert(all.end(), kTesslaNamed.begin(), kTesslaNamed.end());
  for (const TesslaRule& rule : kTesslaRules) {
    for (const TesslaField& field : rule.fields) {
      if (field.value != TesslaValue::None) all.push_back(field.stream);
    }
  }
  return all;
}

template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The number of `name` in a list that `name_of` numbers from 0; UINT8_MAX when it is not there.
uint8_t IndexOf(std::string_view name, std::string_view (*name_of)(uint8_t)) {
  for (uint8_t i = 0; name_of(i) != "?"; ++i) {
    if (name_of(i) == name) return i;
  }
  return UINT8_MAX;
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
size_t SkipBlanks(std::string_view line, size_t at) {
  while (at < line.size() && IsBlank(line[at])) ++at;
  return at;
}
bool IsNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

TesslaSource::TesslaSource(std::unique_ptr<LineInput> input) : input_(std::move(input)), names_(&info_) {
  info_.flags = kFlagFinished | kFlagSerialised;
  info_.modules.push_back(LocationModule(input_->name()));
}

bool TesslaSource::Wrong(const Item& item, size_t begin, size_t end, const std::string& message,
                         const std::string& help) {
  status_ = MakeError(ErrorCode::kBadInput, RenderLine({input_->name(), item.line_number, item.line, begin, end},
                                                       Severity::kError, message, help));
  return false;
}
bool TesslaSource::WrongValue(const Item& item, const std::string& message) {
  return Wrong(item, item.value_at, item.line.size(), message);
}

bool TesslaSource::NextItem(Item* item) {
  std::string_view line;
  while (input_->Next(&line)) {
    if (SkipBlanks(line, 0) == line.size()) continue;
    return ParseItem(line, item);
  }
  status_ = input_->status();
  return false;
}

bool TesslaSource::ParseItem(std::string_view line, Item* item) {
  item->line = line;
  item->line_number = input_->line_number();
  line = item->line;
  size_t at = SkipBlanks(line, 0);
  auto [stop, failure] = std::from_chars(line.data() + at, line.data() + line.size(), item->time);
  if (failure != std::errc()) return Wrong(*item, at, at + 1, "expected a timestamp");
  at = SkipBlanks(line, static_cast<size_t>(stop - line.data()));
  if (at == line.size() || line[at] != ':') return Wrong(*item, at, at + 1, "expected `:` after the timestamp");
  item->stream_at = at = SkipBlanks(line, at + 1);
  while (at < line.size() && IsNamePart(line[at])) ++at;
  item->stream = line.substr(item->stream_at, at - item->stream_at);
  static const std::vector<std::string_view> kStreams = AllStreams();
  if (!Contains(kStreams, item->stream)) {
    return Wrong(*item, item->stream_at, at, fmt::format("unknown stream `{}`", item->stream),
                 DidYouMean(item->stream, kStreams));
  }
  at = SkipBlanks(line, at);
  if (at == line.size() || line[at] != '=') return Wrong(*item, at, at + 1, "expected `=` and a value");
  item->value_at = SkipBlanks(line, at + 1);
  return ParseValue(item);
}

bool TesslaSource::ParseValue(Item* item) {
  std::string_view line = item->line;
  size_t end = line.size();
  while (end > item->value_at && IsBlank(line[end - 1])) --end;
  std::string_view text = line.substr(item->value_at, end - item->value_at);
  item->quoted = !text.empty() && text[0] == '"';
  item->value = text;
  if (!item->quoted) return text.empty() ? WrongValue(*item, "expected a value") : true;
  item->value.clear();
  size_t i = 1;
  for (; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    item->value += text[i - 1] == '\\' && text[i] == 'n' ? '\n' : text[i];
  }
  return i + 1 == text.size() ? true : WrongValue(*item, "this string does not end with the line");
}

bool TesslaSource::Number(const Item& item, uint64_t limit, uint64_t* value) {
  int64_t number = 0;
  const char* end = item.value.data() + item.value.size();
  auto [stop, failure] = std::from_chars(item.value.data(), end, number);
  *value = static_cast<uint64_t>(number);
  if (!item.quoted && failure == std::errc() && stop == end && *value <= limit) return true;
  return WrongValue(item, limit == UINT64_MAX ? "expected an integer of 64 bits"
                                              : fmt::format("expected an integer from 0 to {}", limit));
}

bool TesslaSource::Thread(const Item& item, uint32_t* thread) {
  uint64_t number = 0;
  if (!Number(item, INT64_MAX, &number)) return false;
  *thread = names_.Thread(item.value);
  return true;
}

bool TesslaSource::Next(Event* event) {
  if (!status_) return false;
  if (!started_) has_ahead_ = NextItem(&ahead_);
  started_ = true;
  if (!has_ahead_) return false;
  Instant instant;
  int64_t time = ahead_.time;
  while (has_ahead_ && ahead_.time == time) {
    std::string stream = ahead_.stream;
    if (!instant.try_emplace(stream, ahead_).second) {
      return Wrong(ahead_, ahead_.stream_at, ahead_.value_at,
                   fmt::format("`{}` has a value at this timestamp already", stream));
    }
    ahead_ = Item{};
    has_ahead_ = NextItem(&ahead_);
  }
  if (!status_) return false;
  if (has_ahead_ && ahead_.time < time) {
    return Wrong(ahead_, 0, ahead_.stream_at, fmt::format("timestamps must grow, the one before is {}", time));
  }
  if (!Build(instant, event)) return false;
  if (event->kind == Kind::CondSignal || event->kind == Kind::CondBroadcast) signals_[time] = event->sequence;
  return true;
}

bool TesslaSource::Build(const Instant& instant, Event* event) {
  *event = Event{};
  event->sequence = ++sequence_;
  if (!FillContext(instant, event)) return false;
  for (std::string_view named : kTesslaNamed) {
    auto found = instant.find(std::string(named));
    if (found != instant.end()) return BuildNamed(found->second, event);
  }
  for (const TesslaRule& rule : kTesslaRules) {
    if (instant.count(std::string(rule.fields[0].stream)) == 0) continue;
    event->kind = rule.kind;
    if (rule.shared) event->detail = LockDetail{LockClass::RwLock, true, Manner::Block}.Pack();
    if (IsAtomic(rule.kind) || event->IsPlainRead() || event->IsPlainWrite()) event->detail = kUnknownSize;
    if (!CheckStreams(instant, rule)) return false;
    for (const TesslaField& field : rule.fields) {
      auto found = instant.find(std::string(field.stream));
      if (found != instant.end() && !FillField(found->second, field.value, event)) return false;
    }
    return true;
  }
  const Item& first = instant.begin()->second;
  return Wrong(first, 0, first.line.size(), "no stream at this timestamp says what happened");
}

bool TesslaSource::BuildNamed(const Item& item, Event* event) {
  if (!item.quoted || item.value.empty() || item.value.find('\n') != std::string::npos) {
    return WrongValue(item, "expected the name of a variable in quotes");
  }
  event->kind = item.stream == "readvar" ? Kind::OrderedRead : Kind::OrderedWrite;
  event->address = names_.Variable(item.value);
  event->detail = NamedObjects::kVariableBytes;
  return true;
}

bool TesslaSource::CheckStreams(const Instant& instant, const TesslaRule& rule) {
  for (const auto& [stream, item] : instant) {
    bool fits = Contains(kTesslaContext, stream);
    for (const TesslaField& field : rule.fields) fits = fits || field.stream == stream;
    if (!fits) {
      return Wrong(item, item.stream_at, item.value_at,
                   fmt::format("`{}` does not go with `{}` at one timestamp", stream, rule.fields[0].stream));
    }
  }
  return true;
}

void TesslaSource::FillSize(uint64_t size, Event* event) {
  if (size <= UINT8_MAX || IsAtomic(event->kind)) {
    event->detail = static_cast<uint8_t>(size);
    return;
  }
  event->kind = event->kind == Kind::OrderedRead ? Kind::ReadRange : Kind::WriteRange;
  event->detail = 0;
  event->arg = size;
  event->sequence = 0;
}

bool TesslaSource::FillField(const Item& item, TesslaValue value, Event* event) {
  uint64_t number = 0;
  switch (value) {
    case TesslaValue::None:
    case TesslaValue::Unit:
      return true;
    case TesslaValue::Address:
      return Number(item, kAddressMask, &event->address);
    case TesslaValue::Size:
      if (!Number(item, IsAtomic(event->kind) ? UINT8_MAX : kAddressMask, &number)) return false;
      FillSize(number, event);
      return true;
    case TesslaValue::Arg:
      return Number(item, UINT64_MAX, &event->arg);
    case TesslaValue::Arg2:
      return Number(item, UINT64_MAX, &event->arg2);
    case TesslaValue::Arg3:
      return Number(item, UINT64_MAX, &event->arg3);
    case TesslaValue::Thread: {
      uint32_t thread = 0;
      if (!Thread(item, &thread)) return false;
      event->arg = thread;
      return true;
    }
    case TesslaValue::Order:
      event->order = IndexOf(item.value, OrderName);
      return event->order != UINT8_MAX ? true : WrongValue(item, "expected a memory order, such as \"acquire\"");
    case TesslaValue::RmwOp:
      event->result = IndexOf(item.value, RmwOpName);
      return event->result != UINT8_MAX ? true : WrongValue(item, "expected an operation, such as \"add\"");
    case TesslaValue::Stored:
      event->result = item.value == "true" ? 1 : 0;
      return item.value == "true" || item.value == "false" ? true : WrongValue(item, "expected true or false");
    case TesslaValue::UserName: {
      auto [found, added] = strings_.try_emplace(item.value, strings_.size() + 1);
      if (added) info_.strings[found->second] = item.value;
      event->arg = found->second;
      return true;
    }
    case TesslaValue::WokenBy: {
      if (!Number(item, INT64_MAX, &number)) return false;
      auto signal = signals_.find(static_cast<int64_t>(number));
      if (signal == signals_.end()) return WrongValue(item, "there is no signal at this timestamp");
      event->arg2 = signal->second;
      return true;
    }
  }
  return true;
}

bool TesslaSource::FillContext(const Instant& instant, Event* event) {
  auto thread = instant.find("threadid");
  if (thread == instant.end()) {
    const Item& first = instant.begin()->second;
    return Wrong(first, 0, first.line.size(), "no `threadid` at this timestamp");
  }
  if (!Thread(thread->second, &event->thread)) return false;
  if (auto name = instant.find("threadname"); name != instant.end()) {
    info_.threads[event->thread].name = name->second.value;
  }
  if (auto pc = instant.find("pc"); pc != instant.end()) return Number(pc->second, kAddressMask, &event->pc);
  auto line = instant.find("line");
  if (line == instant.end()) return true;
  uint64_t number = 0;
  if (!Number(line->second, UINT64_MAX, &number)) return false;
  auto location = static_cast<int32_t>(number);
  if (static_cast<int64_t>(number) != location) return WrongValue(line->second, "expected an integer of 32 bits");
  event->pc = PcOfLocation(location);
  return true;
}

}  // namespace heddle::trace
