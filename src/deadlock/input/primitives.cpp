#include "deadlock/input/primitives.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <vector>

#include "base/near.h"

namespace heddle::deadlock {
namespace {

struct ActionName {
  std::string_view name;
  Action action;
};
constexpr std::array<ActionName, 45> kActions = {{{"lock", Action::kLock},
                                                  {"trylock", Action::kTryLock},
                                                  {"timedlock", Action::kTimedLock},
                                                  {"unlock", Action::kUnlock},
                                                  {"wait", Action::kCondWait},
                                                  {"lockall", Action::kLockAll},
                                                  {"semwait", Action::kSemWait},
                                                  {"semtry", Action::kSemTry},
                                                  {"sempost", Action::kSemPost},
                                                  {"once", Action::kOnce},
                                                  {"create", Action::kCreate},
                                                  {"join", Action::kJoin},
                                                  {"stdstart", Action::kStdStart},
                                                  {"threadexit", Action::kThreadExit},
                                                  {"exit", Action::kProcessExit},
                                                  {"exitrun", Action::kExit},
                                                  {"atexit", Action::kAtExit},
                                                  {"exitonly", Action::kExitOnly},
                                                  {"init", Action::kLockInit},
                                                  {"attrkind", Action::kAttrKind},
                                                  {"alloc", Action::kAlloc},
                                                  {"realloc", Action::kRealloc},
                                                  {"copy", Action::kCopy},
                                                  {"returns", Action::kReturnsArg},
                                                  {"subobject", Action::kSubobject},
                                                  {"callnow", Action::kCallNow},
                                                  {"calllater", Action::kCallLater},
                                                  {"signal", Action::kSignal},
                                                  {"dispatch", Action::kDispatch},
                                                  {"setspecific", Action::kSetSpecific},
                                                  {"getspecific", Action::kGetSpecific},
                                                  {"setjmp", Action::kSetjmp},
                                                  {"longjmp", Action::kLongjmp},
                                                  {"keep", Action::kKeep},
                                                  {"link", Action::kLink},
                                                  {"plain", Action::kPlain},
                                                  {"symbol", Action::kSymbol},
                                                  {"send", Action::kSend},
                                                  {"receive", Action::kReceive},
                                                  {"keycreate", Action::kKeyCreate},
                                                  {"gone", Action::kThreadGone},
                                                  {"allgone", Action::kThreadsGone},
                                                  {"throw", Action::kThrow},
                                                  {"nothing", Action::kNothing},
                                                  {"none", Action::kNothing}}};

std::vector<std::string_view> Words(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  while (true) {
    size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    size_t end = line.find_first_of(" \t\r", begin);
    words.push_back(line.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return words;
    line = line.substr(end);
  }
}

Status BadLine(std::string_view what) { return MakeError(ErrorCode::kBadInput, std::string(what)); }

// One KEY=VALUE.
Status SetKey(std::string_view word, Primitive* primitive) {
  size_t equals = word.find('=');
  if (equals == std::string_view::npos) return BadLine(fmt::format("`{}` is not KEY=VALUE", word));
  std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "mode" && (value == "read" || value == "write")) {
    primitive->mode = value == "read" ? Mode::kRead : Mode::kWrite;
    return {};
  }
  if (key == "success" && (value == "nonzero" || value == "zero")) {
    primitive->success_nonzero = value == "nonzero";
    return {};
  }
  if (key == "kind" && value == "recursive") {
    primitive->recursive = true;
    return {};
  }
  int number = Primitive::kReturn;
  if (value != "ret") {
    auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
    bool whole = failure == std::errc() && end == value.data() + value.size();
    if (!whole || number < 0 || number > 15) return BadLine(fmt::format("`{}` is no argument's number", value));
  }
  if (key == "lock")
    primitive->lock = number;
  else if (key == "handle")
    primitive->handle = number;
  else if (key == "start")
    primitive->start = number;
  else if (key == "arg")
    primitive->arg = number;
  else if (key == "param")
    primitive->param = number;
  else if (key == "deref")
    primitive->deref = number;
  else
    return BadLine(
        fmt::format("`{}` is no key; there are lock, handle, start, arg, param, deref, mode, success, kind", key));
  return {};
}

}  // namespace

Primitives::Primitives(bool semaphores) : semaphores_(semaphores) {
  std::string_view text = kBuiltinTable;
  while (!text.empty()) {
    size_t end = text.find('\n');
    Status added = AddLine(text.substr(0, end), false);
    (void)added;  // primitives_test reads every line of the table
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

Status Primitives::Add(std::string_view name, std::string_view text) {
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    Status added = AddLine(text.substr(0, end), true);
    if (!added) return MakeError(added.error().code, fmt::format("{}:{}: {}", name, number, added.error().message));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return {};
}

Status Primitives::AddLine(std::string_view line, bool replace) {
  std::vector<std::string_view> words = Words(line);
  if (words.empty()) return {};
  if (words.size() < 2) return BadLine(fmt::format("`{}` needs an action", words[0]));
  Primitive primitive;
  bool known = false;
  std::vector<std::string_view> names;
  for (const ActionName& action : kActions) {
    names.emplace_back(action.name);
    if (action.name != words[1]) continue;
    primitive.action = action.action;
    known = true;
  }
  std::string hint = known ? "" : DidYouMean(words[1], names);
  if (!known) return BadLine(fmt::format("`{}` is no action{}", words[1], hint.empty() ? std::string() : "; " + hint));
  for (size_t i = 2; i < words.size(); ++i) {
    Status set = SetKey(words[i], &primitive);
    if (!set) return set;
  }
  if (replace)
    table_[std::string(words[0])] = primitive;
  else
    table_.emplace(words[0], primitive);
  return {};
}

const Primitive* Primitives::Find(std::string_view function) const {
  auto found = table_.find(std::string(function));
  if (found == table_.end()) {
    // Every instance of the template std::lock.
    if (function.substr(0, 7) != "_ZSt4lo" || function.substr(0, 9) != "_ZSt4lock") return nullptr;
    if (function.find("unique_lock") != std::string_view::npos) return nullptr;
    found = table_.find("std::lock");
    if (found == table_.end()) return nullptr;
  }
  Action action = found->second.action;
  bool semaphore = action == Action::kSemWait || action == Action::kSemTry || action == Action::kSemPost;
  static const Primitive nothing;
  return semaphore && !semaphores_ ? &nothing : &found->second;
}

}  // namespace heddle::deadlock
