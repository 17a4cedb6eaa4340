// The text trace reader. Lines of the plain kinds (integers, strings without escapes) are read by hand, the rest by
// ValueParser; both paths give the same values.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <unordered_map>

#include "base/file.h"
#include "base/near.h"
#include "stream/text/event_source.h"
#include "stream/text/value_parser.h"

namespace heddle::stream {
namespace {

constexpr size_t kChunk = size_t{1} << 18;
constexpr size_t kMaxLine = size_t{64} << 20;
constexpr uint32_t kNoInput = UINT32_MAX;

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

class TextTrace : public EventSource {
 public:
  TextTrace(int fd, std::string_view memory, const Graph& graph, TextTraceOptions options)
      : fd_(fd), options_(std::move(options)) {
    for (uint32_t i = 0; i < graph.inputs.size(); ++i) {
      const Node& node = graph.nodes[graph.inputs[i]];
      inputs_.push_back({node.name, node.type, Resolve(node.type)->kind, Value(), -1});
      names_.emplace(node.name, i);
    }
    if (fd_ < 0) {
      at_ = memory.data();
      end_ = at_ + memory.size();
    } else {
      buffer_.resize(kChunk);
      at_ = end_ = buffer_.data();
    }
  }

  Result<bool> NextStep(int64_t* time, std::vector<InputEvent>* events) override {
    events->clear();
    if (failed_) return false;
    if (!error_.message.empty()) return Failed();
    if (!ranges_.empty()) return StepWithRanges(time, events);
    bool any = has_pending_;
    if (has_pending_) {
      *time = pending_time_;
      Take(events);
    }
    for (;;) {
      std::string_view line;
      if (!ReadLine(&line)) {
        if (!error_.message.empty()) return Failed();
        return any;
      }
      if (!ParseLine(line)) {
        if (!error_.message.empty()) return Failed();
        if (ranges_.empty()) continue;
        if (!any) return StepWithRanges(time, events);
        if (!TakeRanges(*time, events)) return Failed();
        continue;
      }
      if (!any) {
        any = true;
        *time = pending_time_;
        if (!Take(events)) return Failed();
      } else if (pending_time_ == *time) {
        if (!Take(events)) return Failed();
      } else {
        if (pending_time_ < *time && !options_.any_order) {
          // The step before it is complete, so it still counts; the next call fails.
          Fail(0, fmt::format("Decreasing time stamps: first = {}, second = {}", *time, pending_time_));
          return true;
        }
        has_pending_ = true;
        return true;
      }
    }
  }

  std::vector<std::pair<std::string, uint64_t>> UnknownStreams() const override {
    std::vector<std::pair<std::string, uint64_t>> result(unknown_.begin(), unknown_.end());
    std::sort(result.begin(), result.end());
    return result;
  }
  uint64_t EventCount() const override { return count_; }

 private:
  // An event that repeats: `1,3..9: x`, `0 <= t < 10: x = t`.
  struct Range {
    int64_t next;
    int64_t step;
    int64_t last;
    uint32_t input;
    std::string variable;
    std::string value;
    size_t column;
  };

  struct Input {
    std::string name;
    TypeRef type;
    TypeKind kind;
    Value recent;  // the last string, shared when it comes again
    int64_t last_time;
  };

  Result<bool> Failed() {
    failed_ = true;
    return error_;
  }

  // The next step while ranges are open: the earliest of the next line and the ranges.
  Result<bool> StepWithRanges(int64_t* time, std::vector<InputEvent>* events) {
    if (!has_pending_ && !ReadPending()) return Failed();
    if (!has_pending_ && ranges_.empty()) return false;
    *time = has_pending_ ? pending_time_ : INT64_MAX;
    for (const Range& range : ranges_) *time = std::min(*time, range.next);
    for (;;) {
      if (!has_pending_ || pending_time_ != *time) break;
      if (!Take(events) || !ReadPending()) return Failed();
    }
    if (has_pending_ && pending_time_ < *time) {
      Fail(0, fmt::format("Decreasing time stamps: first = {}, second = {}", *time, pending_time_));
      return Failed();
    }
    if (!TakeRanges(*time, events)) return Failed();
    return true;
  }

  // Reads lines, ranges too, until a plain event is pending or the trace ends. False on an error.
  bool ReadPending() {
    has_pending_ = false;
    std::string_view line;
    while (!has_pending_ && ReadLine(&line)) has_pending_ = ParseLine(line);
    return error_.message.empty();
  }

  bool TakeRanges(int64_t time, std::vector<InputEvent>* events) {
    InputEvent saved = pending_;
    int64_t saved_time = std::exchange(pending_time_, time);
    bool saved_unknown = std::exchange(unknown_event_, false);
    bool saved_has = has_pending_;
    for (Range& range : ranges_) {
      if (range.next < time)
        return Fail(0, fmt::format("Decreasing time stamps: first = {}, second = {}", time, range.next));
      if (range.next != time) continue;
      if (range.input != kNoInput) {
        Input& input = inputs_[range.input];
        ValueParser parser(range.value);
        parser.SetVariable(range.variable, time);
        pending_.input = range.input;
        pending_.value = Value();
        bool unit = range.value.empty() && input.kind == TypeKind::kUnit;
        if (!unit && (!parser.Parse(input.type, &pending_.value) || !parser.AtEnd())) {
          return Fail(range.column, fmt::format("`{}` is not a value of type {}", range.value, ToText(input.type)));
        }
        if (!Take(events)) return false;
      }
      range.next = range.last - range.next < range.step ? INT64_MAX : range.next + range.step;
    }
    std::erase_if(ranges_, [](const Range& range) { return range.next == INT64_MAX; });
    pending_ = saved;
    pending_time_ = saved_time;
    unknown_event_ = saved_unknown;
    has_pending_ = saved_has;
    return true;
  }

  // `p` is behind the first number of a line that begins as a range: FIRST[,SECOND]..LAST or FIRST <[=] NAME <[=] LAST.
  bool ParseRange(std::string_view line, const char* p, int64_t first) {
    const char* end = line.data() + line.size();
    auto column = [&] { return static_cast<size_t>(p - line.data()); };
    auto skip = [&] {
      while (p < end && *p == ' ') ++p;
    };
    auto accept = [&](std::string_view text) {
      skip();
      if (!std::string_view(p, static_cast<size_t>(end - p)).starts_with(text)) return false;
      p += text.size();
      return true;
    };
    auto number = [&](int64_t* n) {
      skip();
      auto result = std::from_chars(p, end, *n);
      p = result.ptr;
      return result.ec == std::errc() && *n >= 0;
    };
    auto word = [&] {
      skip();
      const char* begin = p;
      while (p < end && *p != ' ' && *p != '<' && *p != '=' && *p != ':' && *p != '\r') ++p;
      return std::string(begin, p);
    };
    Range range{first, 1, 0, kNoInput, "", "", 0};
    if (accept("<")) {
      if (!accept("=")) ++range.next;
      range.variable = word();
      if (!accept("<")) return Syntax(column(), "a range of timestamps needs an end");
      bool inclusive = accept("=");
      if (!number(&range.last)) return Syntax(column(), "expected the last timestamp");
      if (!inclusive) --range.last;
    } else {
      if (accept(",")) {
        if (!number(&range.step)) return Syntax(column(), "expected the second timestamp");
        range.step -= first;
        if (range.step <= 0) return Syntax(column(), "the second timestamp must be greater than the first");
      }
      if (!accept("..")) return Syntax(column(), "expected `..` and the last timestamp");
      if (!number(&range.last)) return Syntax(column(), "a range of timestamps needs an end");
    }
    if (!accept(":")) return Syntax(column(), "expected `:` after the timestamps");
    skip();
    size_t name_column = column();
    std::string name = word();
    if (name.empty()) return Syntax(name_column, "expected the name of a stream");
    auto found = names_.find(name);
    if (found != names_.end()) range.input = found->second;
    if (found == names_.end() && !Unknown(name, name_column)) return false;
    if (accept("=")) {
      skip();
      range.column = column();
      range.value = std::string(p, end);
    }
    if (range.next <= range.last) ranges_.push_back(std::move(range));
    return false;
  }

  // Moves the pending event into the step.
  bool Take(std::vector<InputEvent>* events) {
    has_pending_ = false;
    if (unknown_event_) return true;  // only says that time has passed
    Input& input = inputs_[pending_.input];
    if (input.last_time == pending_time_ && !options_.any_order) {
      return Fail(0, fmt::format("Multiple events \"{}\" at timestamp {}", input.name, pending_time_));
    }
    input.last_time = pending_time_;
    ++count_;
    events->push_back(std::move(pending_));
    return true;
  }

  bool Fail(size_t column, const std::string& message, const std::string& help = "") {
    std::string shown(line_.substr(0, 120));
    for (char& c : shown) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    error_.code = ErrorCode::kBadInput;
    error_.message = fmt::format("{}:{}:{}: error: {}\n{:5} | {}\n      | {}^", options_.name, number_, column + 1,
                                 message, number_, shown, std::string(std::min(column, shown.size()), ' '));
    if (!help.empty()) error_.message += "\n  help: " + help;
    return false;
  }

  // The next line without its newline, valid until the next call. False at the end or on an error.
  bool ReadLine(std::string_view* line) {
    for (;;) {
      auto left = static_cast<size_t>(end_ - at_);
      const char* newline = left == 0 ? nullptr : static_cast<const char*>(std::memchr(at_, '\n', left));
      if (newline != nullptr) {
        *line = {at_, static_cast<size_t>(newline - at_)};
        at_ = newline + 1;
        break;
      }
      if (fd_ < 0 || !Refill()) {
        if (at_ == end_ || !error_.message.empty()) return false;
        *line = {at_, static_cast<size_t>(end_ - at_)};
        at_ = end_;
        cut_ = true;
        break;
      }
    }
    ++number_;
    line_ = *line;
    return true;
  }

  // More bytes behind the unfinished line. False at the end of the file or on an error.
  bool Refill() {
    auto left = static_cast<size_t>(end_ - at_);
    if (left > kMaxLine) {
      error_ = MakeError(ErrorCode::kBadInput,
                         fmt::format("{}:{}: the line is longer than 64 MiB", options_.name, number_ + 1));
      return false;
    }
    if (buffer_.size() < left + kChunk) {
      std::vector<char> bigger(left * 2 + kChunk);
      std::memcpy(bigger.data(), at_, left);
      buffer_ = std::move(bigger);
    } else {
      std::memmove(buffer_.data(), at_, left);
    }
    at_ = buffer_.data();
    for (;;) {
      ssize_t n = read(fd_, buffer_.data() + left, buffer_.size() - left);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) error_ = ErrnoError(options_.name, errno);
      end_ = at_ + left + static_cast<size_t>(std::max<ssize_t>(n, 0));
      return n > 0;
    }
  }

  // One line into pending_. False for lines without an event that counts, or with error_ set.
  bool ParseLine(std::string_view line) {
    const char* p = line.data();
    const char* end = p + line.size();
    while (p < end && (*p == ' ' || *p == '\t')) ++p;
    if (p == end || *p == '\r' || *p == '#' || (end - p >= 2 && p[0] == '-' && p[1] == '-')) return false;
    const char* digits = p;
    uint64_t time = 0;
    while (p < end && *p >= '0' && *p <= '9' && p - digits < 19) time = time * 10 + static_cast<uint64_t>(*p++ - '0');
    auto column = [&](const char* q) { return static_cast<size_t>(q - line.data()); };
    if (p == digits || time > static_cast<uint64_t>(INT64_MAX) || (p < end && *p >= '0' && *p <= '9')) {
      return Syntax(column(digits), p == digits ? "expected a timestamp" : "the timestamp does not fit in 63 bits");
    }
    while (p < end && *p == ' ') ++p;
    if (p < end && (*p == '<' || *p == '.' || *p == ',')) return ParseRange(line, p, static_cast<int64_t>(time));
    if (p == end || *p != ':') return Syntax(column(p), "expected `:` after the timestamp");
    ++p;
    while (p < end && *p == ' ') ++p;
    const char* name = p;
    while (p < end && *p != ' ' && *p != '=' && *p != '\r' && *p != '\t' && *p != '#') ++p;
    if (p == name) return Syntax(column(p), "expected the name of a stream");
    std::string_view stream(name, static_cast<size_t>(p - name));
    pending_time_ = static_cast<int64_t>(time);
    Input* input = FindInput(stream);
    unknown_event_ = input == nullptr;
    if (unknown_event_) return Unknown(stream, column(name));
    while (p < end && *p == ' ') ++p;
    if (p < end && *p == '=') {
      ++p;
      while (p < end && *p == ' ') ++p;
      return ParseValue(*input, {p, static_cast<size_t>(end - p)}, column(p));
    }
    if (p < end && *p != '\r' && *p != '#' && *p != '-')
      return Syntax(column(p), "expected `=` or the end of the line");
    if (input->kind != TypeKind::kUnit) {
      return Syntax(column(p), fmt::format("`{}` needs a value of type {}", input->name, ToText(input->type)));
    }
    pending_.value = Value();
    return true;
  }

  // A wrong line; the last one may have been cut off.
  bool Syntax(size_t column, std::string message) {
    if (cut_) message = "the trace ends in the middle of a line: " + message;
    return Fail(column, message);
  }

  Input* FindInput(std::string_view name) {
    // Streams tend to come in the same order in each step.
    for (uint32_t k = 0; k < 2 && k < inputs_.size(); ++k) {
      uint32_t guess = (pending_.input + 1 + k) % static_cast<uint32_t>(inputs_.size());
      if (inputs_[guess].name == name) {
        pending_.input = guess;
        return &inputs_[guess];
      }
    }
    auto found = names_.find(name);
    if (found == names_.end()) return nullptr;
    pending_.input = found->second;
    return &inputs_[found->second];
  }

  bool Unknown(std::string_view name, size_t column) {
    if (!options_.strict) {
      auto found = unknown_.find(name);
      if (found != unknown_.end()) {
        ++found->second;
      } else if (unknown_.size() < 1000) {
        unknown_.emplace(std::string(name), 1);
      }
      return true;
    }
    std::vector<std::string_view> known;
    known.reserve(inputs_.size());
    for (const Input& input : inputs_) known.push_back(input.name);
    return Fail(column, fmt::format("the specification has no input `{}`", name), DidYouMean(name, known));
  }

  bool ParseValue(Input& input, std::string_view text, size_t column) {
    if (input.kind == TypeKind::kInt && PlainInt(text)) return true;
    if (input.kind == TypeKind::kString && PlainString(input, text)) return true;
    ValueParser parser(text);
    if (!parser.Parse(input.type, &pending_.value)) {
      return Syntax(
          column + parser.error().offset,
          fmt::format("{} as the value of `{}`, which is {}", parser.error().message, input.name, ToText(input.type)));
    }
    if (!parser.AtEnd()) {
      return Syntax(column + parser.offset(),
                    fmt::format("expected the end of the value of `{}`, which is {}", input.name, ToText(input.type)));
    }
    return true;
  }

  bool PlainInt(std::string_view text) {
    const char* p = text.data();
    const char* end = p + text.size();
    bool negative = p < end && *p == '-';
    if (negative) ++p;
    const char* digits = p;
    int64_t value = 0;
    while (p < end && *p >= '0' && *p <= '9' && p - digits < 18) value = value * 10 + (*p++ - '0');
    if (p != end || p == digits) return false;
    pending_.value = Value::Int(negative ? -value : value);
    return true;
  }

  bool PlainString(Input& input, std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
    std::string_view inner = text.substr(1, text.size() - 2);
    if (inner.find('$') != std::string_view::npos) return false;
    if (input.recent.tag() == Tag::kString && input.recent.text() == inner) {
      pending_.value = input.recent;
      return true;
    }
    if (inner.find_first_of("\\\"") != std::string_view::npos) return false;
    auto found = strings_.find(inner);
    if (found == strings_.end()) {
      if (strings_.size() > 4096) strings_.clear();  // bounded: it is only there to share
      found = strings_.emplace(std::string(inner), Value::String(inner)).first;
    }
    pending_.value = input.recent = found->second;
    return true;
  }

  int fd_;
  TextTraceOptions options_;
  std::vector<char> buffer_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool cut_ = false;
  uint64_t number_ = 0;
  std::string_view line_;
  std::vector<Input> inputs_;
  std::vector<Range> ranges_;
  std::unordered_map<std::string, uint32_t, StringHash, std::equal_to<>> names_;
  std::unordered_map<std::string, uint64_t, StringHash, std::equal_to<>> unknown_;
  std::unordered_map<std::string, Value, StringHash, std::equal_to<>> strings_;
  InputEvent pending_;
  int64_t pending_time_ = 0;
  bool has_pending_ = false;
  bool unknown_event_ = false;  // the pending event is of a stream that is not declared
  bool failed_ = false;
  uint64_t count_ = 0;
  Error error_;
};

}  // namespace

std::unique_ptr<EventSource> OpenTextTrace(int fd, const Graph& graph, TextTraceOptions options) {
  return std::make_unique<TextTrace>(fd, std::string_view(), graph, std::move(options));
}

std::unique_ptr<EventSource> TextTraceFromMemory(std::string_view text, const Graph& graph, TextTraceOptions options) {
  return std::make_unique<TextTrace>(-1, text, graph, std::move(options));
}

}  // namespace heddle::stream
