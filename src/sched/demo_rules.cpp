#include "sched/demo_rules.h"

#include <array>

#include "base/near.h"
#include "base/source.h"

namespace heddle::sched {
namespace {

#define HEDDLE_CALL(name, text) text,
constexpr std::array kCalls = std::to_array<std::string_view>({HEDDLE_DEMO_CALLS(HEDDLE_CALL)});
#undef HEDDLE_CALL
#define HEDDLE_KIND(name, text) text,
constexpr std::array kKinds = std::to_array<std::string_view>({HEDDLE_DEMO_KINDS(HEDDLE_KIND)});
#undef HEDDLE_KIND
constexpr std::array<std::string_view, 3> kVerbs = {"record", "reissue", "ignore"};
static_assert(kCalls.size() + 1 == static_cast<size_t>(wire::DemoCall::kEnd));
static_assert(kKinds.size() == static_cast<size_t>(wire::DemoKind::kEnd));

template <typename Words>
size_t IndexOf(const Words& words, std::string_view word) {
  size_t i = 0;
  while (i < words.size() && words[i] != word) ++i;
  return i;
}

struct Word {
  std::string_view text;
  size_t begin = 0;
};

Word NextWord(std::string_view line, size_t* at) {
  while (*at < line.size() && (line[*at] == ' ' || line[*at] == '\t' || line[*at] == '\r')) ++*at;
  size_t begin = *at;
  while (*at < line.size() && line[*at] != ' ' && line[*at] != '\t' && line[*at] != '\r') ++*at;
  return {line.substr(begin, *at - begin), begin};
}

class Rules {
 public:
  Rules(const std::string& name, wire::DemoRules* rules) : name_(name), rules_(rules) {}

  Status Line(uint64_t number, std::string_view line) {
    number_ = number;
    line_ = line;
    std::string_view code = line.substr(0, line.find('#'));
    size_t at = 0;
    Word verb = NextWord(code, &at);
    if (verb.text.empty()) return {};
    if (IndexOf(kVerbs, verb.text) == kVerbs.size()) return Wrong(verb, "no such rule", kVerbs);
    Word object = NextWord(code, &at);
    Word more = NextWord(code, &at);
    if (!more.text.empty()) return Wrong(more, "nothing is expected here", std::span<const std::string_view>());
    return verb.text == "ignore" ? Ignore(object) : Choose(verb.text == "reissue", object);
  }

 private:
  Status Ignore(Word call) {
    size_t index = IndexOf(kCalls, call.text);
    if (index == kCalls.size()) return Wrong(call, "a call is expected", kCalls);
    rules_->ignored |= uint64_t{2} << index;  // calls count from 1
    return {};
  }

  Status Choose(bool reissue, Word kind) {
    size_t index = IndexOf(kKinds, kind.text);
    if (index == kKinds.size()) return Wrong(kind, "a kind of descriptor is expected", kKinds);
    uint64_t bit = uint64_t{1} << index;
    rules_->reissued = reissue ? rules_->reissued | bit : rules_->reissued & ~bit;
    return {};
  }

  Status Wrong(Word word, std::string_view message, std::span<const std::string_view> words) {
    std::string help = word.text.empty() ? "" : DidYouMean(word.text, words);
    if (help.empty() && !words.empty()) {
      help = "one of";
      for (std::string_view known : words) help += " " + std::string(known);
    }
    size_t end = word.begin + std::max<size_t>(word.text.size(), 1);
    std::string text = RenderLine({name_, number_, line_, word.begin, end}, Severity::kError, message, help);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return MakeError(ErrorCode::kBadInput, text);
  }

  const std::string& name_;
  wire::DemoRules* rules_;
  uint64_t number_ = 0;
  std::string_view line_;
};

}  // namespace

Status ParseDemoRules(const std::string& name, std::string_view text, wire::DemoRules* rules) {
  Rules parser(name, rules);
  for (uint64_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    Status line = parser.Line(number, text.substr(0, end));
    if (!line) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

Status IgnoreCall(std::string_view call, wire::DemoRules* rules) {
  return ParseDemoRules("--ignore", "ignore " + std::string(call), rules);
}

}  // namespace heddle::sched
