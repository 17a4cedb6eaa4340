#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/near.h"
#include "trace/convert/location.h"
#include "trace/convert/std_text.h"
#include "trace/format.h"

namespace heddle::trace {
namespace {

struct Operation {
  std::string_view word;
  Kind kind;
};
constexpr std::array<Operation, 6> kOperations = {{
    {"r", Kind::OrderedRead},
    {"w", Kind::OrderedWrite},
    {"acq", Kind::Lock},
    {"rel", Kind::Unlock},
    {"fork", Kind::ThreadFork},
    {"join", Kind::ThreadJoin},
}};

Kind KindOf(std::string_view word) {
  for (const Operation& operation : kOperations) {
    if (operation.word == word) return operation.kind;
  }
  return Kind::None;
}

std::string Hint(std::string_view word) {
  std::array<std::string_view, kOperations.size()> words;
  for (size_t i = 0; i < words.size(); ++i) words[i] = kOperations[i].word;
  std::string hint = DidYouMean(word, words);
  return hint.empty() ? "operations are r, w, acq, rel, fork and join" : hint;
}

size_t Find(std::string_view line, char c, size_t from) {
  while (from < line.size() && line[from] != c) ++from;
  return from;
}

bool IsNameEnd(char c) { return c == '|' || c == '(' || c == ')' || c == '\0' || static_cast<unsigned char>(c) <= ' '; }

}  // namespace

StdSource::StdSource(std::unique_ptr<LineInput> input) : input_(std::move(input)), names_(&info_) {
  info_.flags = kFlagFinished | kFlagSerialised;
  info_.modules.push_back(LocationModule(input_->name()));
}

bool StdSource::Wrong(std::string_view line, size_t begin, size_t end, const std::string& message,
                      const std::string& help) {
  status_ = input_->ErrorAt(line, begin, end, message, help);
  return false;
}

bool StdSource::Next(Event* event) {
  if (!status_) return false;
  std::string_view line;
  while (input_->Next(&line)) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) return Parse(line, event);
  }
  status_ = input_->status();
  return false;
}

bool StdSource::CheckName(std::string_view line, size_t begin, size_t end, const char* what) {
  for (size_t i = begin; i < end; ++i) {
    if (IsNameEnd(line[i]))
      return Wrong(line, i, i + 1, fmt::format("this character cannot be in the name of {}", what));
  }
  return begin < end ? true : Wrong(line, begin, begin + 1, fmt::format("expected the name of {}", what));
}

bool StdSource::Parse(std::string_view line, Event* event) {
  size_t bar = Find(line, '|', 0);
  if (bar == line.size())
    return Wrong(line, bar, bar, "expected `|` and an operation", "a line is thread|op(arg)|location");
  size_t open = Find(line, '(', bar + 1);
  if (open == line.size()) return Wrong(line, bar + 1, open, "expected an operation with its argument in parentheses");
  size_t close = Find(line, ')', open + 1);
  if (close == line.size()) return Wrong(line, close, close, "expected `)`");
  if (close + 1 == line.size() || line[close + 1] != '|') {
    return Wrong(line, close + 1, close + 2, "expected `|` and a location", "a line is thread|op(arg)|location");
  }
  *event = Event{};
  if (!CheckName(line, 0, bar, "a thread")) return false;
  event->thread = names_.Thread(line.substr(0, bar));
  if (!ParseOperation(line, bar + 1, open, close, event)) return false;
  event->sequence = ++sequence_;
  return ParseLocation(line, close + 2, event);
}

bool StdSource::ParseOperation(std::string_view line, size_t begin, size_t open, size_t close, Event* event) {
  std::string_view word = line.substr(begin, open - begin);
  std::string_view argument = line.substr(open + 1, close - open - 1);
  event->kind = KindOf(word);
  switch (event->kind) {
    case Kind::OrderedRead:
    case Kind::OrderedWrite:
      if (!CheckName(line, open + 1, close, "a variable")) return false;
      event->address = names_.Variable(argument);
      event->detail = NamedObjects::kVariableBytes;
      return true;
    case Kind::Lock:
    case Kind::Unlock:
      if (!CheckName(line, open + 1, close, "a lock")) return false;
      event->address = names_.Lock(argument);
      return true;
    case Kind::ThreadFork:
    case Kind::ThreadJoin:
      if (!CheckName(line, open + 1, close, "a thread")) return false;
      event->arg = names_.Thread(argument);
      return true;
    default:
      return Wrong(line, begin, open, fmt::format("unknown operation `{}`", word), Hint(word));
  }
}

bool StdSource::ParseLocation(std::string_view line, size_t begin, Event* event) {
  int32_t location = 0;
  const char* end = line.data() + line.size();
  auto [stop, failure] = std::from_chars(line.data() + begin, end, location);
  if (failure == std::errc::result_out_of_range) {
    return Wrong(line, begin, line.size(), "a location is a number of 32 bits with a sign");
  }
  if (failure != std::errc() || stop != end) {
    size_t at = failure != std::errc() ? begin : static_cast<size_t>(stop - line.data());
    return Wrong(line, at, line.size(), "expected a decimal number as the location, and nothing after it");
  }
  event->pc = PcOfLocation(location);
  return true;
}

}  // namespace heddle::trace
