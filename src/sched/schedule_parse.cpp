#include <algorithm>
#include <charconv>

#include "base/near.h"
#include "base/source.h"
#include "sched/operation.h"
#include "sched/schedule.h"

namespace heddle::sched {
namespace {

// A schedule is written out for the program, 12 bytes for each step: a few damaged bytes must not ask for all memory.
constexpr uint64_t kManySteps = uint64_t{1} << 24U;  // that any schedule may have
constexpr uint64_t kStepsOfByte = 1024;              // or so many for each byte of its text

std::vector<std::string_view> OperationNames() {
  std::vector<std::string_view> names;
  for (uint32_t code = 1; code < kOwnEnd; ++code) {
    const char* name = OperationName(static_cast<uint8_t>(code));
    if (name != nullptr) names.emplace_back(name);
  }
  return names;
}

// A thread's id: T or X, then numbers with dots between them.
bool IsThreadId(std::string_view word) {
  if (word.size() < 2 || word.size() > 63 || (word[0] != 'T' && word[0] != 'X')) return false;
  bool digit = false;
  for (char c : word.substr(1)) {
    if (c != '.' && (c < '0' || c > '9')) return false;
    if (c == '.' && !digit) return false;
    digit = c != '.';
  }
  return digit;
}

class Parser {
 public:
  Parser(const std::string& name, std::string_view text)
      : name_(name), rest_(text), most_(std::max<uint64_t>(kManySteps, text.size() * kStepsOfByte)) {}

  Result<Schedule> Parse() {
    if (!NextLine() || line_ != "heddle-schedule 1") {
      Fail(0, line_.size(), "not a schedule", "the first line of a schedule is `heddle-schedule 1`");
    }
    while (error_.empty() && NextLine() && !line_.empty()) HeaderLine();
    while (error_.empty() && NextLine()) StepLine();
    if (!error_.empty()) return MakeError(ErrorCode::kBadInput, error_);
    return std::move(schedule_);
  }

 private:
  bool NextLine() {
    if (rest_.empty()) return false;
    size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    ++number_;
    return true;
  }

  void Fail(size_t begin, size_t end, std::string_view message, std::string_view help) {
    error_ = RenderLine({name_, number_, line_, begin, end}, Severity::kError, message, help);
    if (!error_.empty() && error_.back() == '\n') error_.pop_back();
  }

  void HeaderLine() {
    if (line_[0] == '#') return;
    size_t blank = line_.find(' ');
    std::string_view key = line_.substr(0, blank);
    if (key.empty()) return Fail(0, 1, "a key is expected", "an empty line ends the header");
    if (IsThreadId(key)) return Fail(0, key.size(), "a step in the header", "an empty line ends the header");
    std::string_view value = blank == std::string_view::npos ? "" : line_.substr(blank + 1);
    schedule_.header.emplace_back(key, value);
  }

  // The next word at or behind `at`, which is moved behind it.
  std::string_view Word(std::string_view text, size_t* at) {
    while (*at < text.size() && (text[*at] == ' ' || text[*at] == '\t')) ++*at;
    size_t begin = *at;
    while (*at < text.size() && text[*at] != ' ' && text[*at] != '\t') ++*at;
    return text.substr(begin, *at - begin);
  }

  void StepLine() {
    size_t hash = line_.find('#');
    std::string_view text = line_.substr(0, hash);
    size_t at = 0;
    std::string_view thread = Word(text, &at);
    if (thread.empty()) return;
    size_t thread_end = at;
    if (!IsThreadId(thread)) {
      return Fail(thread_end - thread.size(), thread_end, "a thread is expected",
                  "T0 is main, T2 its second child, T2.1 the first child of that");
    }
    std::string_view operation = Word(text, &at);
    uint8_t code = OperationFromName(operation.data(), static_cast<uint32_t>(operation.size()));
    if (operation.empty() || code == 0) {
      static const std::vector<std::string_view> names = OperationNames();
      return Fail(at - operation.size(), at, operation.empty() ? "an operation is expected" : "no such operation",
                  DidYouMean(operation, names));
    }
    uint64_t count = 1;
    std::string_view times = Word(text, &at);
    if (!times.empty() && !ReadCount(times, &count)) {
      return Fail(at - times.size(), at, "a count is expected", "`*3` says three times");
    }
    bool fits = count <= most_ - steps_;
    steps_ += fits ? count : 0;
    if (!fits) {
      return Fail(at - times.size(), at, "more steps than a schedule of this size can have", "is the file damaged?");
    }
    std::string_view more = Word(text, &at);
    if (!more.empty()) return Fail(at - more.size(), at, "nothing is expected here", "comments begin with #");
    AddRun(thread, code, count, hash);
  }

  bool ReadCount(std::string_view word, uint64_t* count) {
    if (word[0] != '*') return false;
    auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), *count);
    return error == std::errc() && end == word.data() + word.size() && *count > 0;
  }

  void AddRun(std::string_view thread, uint8_t code, uint64_t count, size_t hash) {
    std::string comment;
    if (hash != std::string_view::npos) {
      size_t begin = line_.find_first_not_of(" \t", hash + 1);
      if (begin != std::string_view::npos) comment = line_.substr(begin);
    }
    schedule_.runs.push_back(
        {schedule_.ThreadIndex(thread), code, count, static_cast<uint32_t>(number_), std::move(comment)});
  }

  std::string name_;
  std::string_view rest_;
  std::string_view line_;
  uint64_t number_ = 0;
  uint64_t most_;
  uint64_t steps_ = 0;
  std::string error_;
  Schedule schedule_;
};

}  // namespace

Result<Schedule> ParseSchedule(const std::string& name, std::string_view text) { return Parser(name, text).Parse(); }

}  // namespace heddle::sched
