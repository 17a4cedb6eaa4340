#include <algorithm>
#include <cctype>

#include "litmus/syntax/parse_impl.h"

// locations [...], filter and the condition with its quantifier.
namespace heddle::litmus {
namespace {

class EndingParser {
 public:
  EndingParser(Cursor& cursor, Test& test, const InstructionParser& parser)
      : cursor_(cursor), test_(test), parser_(parser) {}

  Status Run() {
    std::vector<Observed> listed;
    while (!cursor_.AtEnd()) {
      if (cursor_.TakeWord("locations")) {
        if (Status status = Locations(listed); !status) return status;
      } else if (cursor_.TakeWord("filter")) {
        Result<int> prop = Or();
        if (!prop) return prop.error();
        test_.filter = *prop;
        cursor_.Take(";");
      } else if (cursor_.TakeWord("with")) {
        break;  // expectations for other tools
      } else if (cursor_.Take("<<")) {
        while (!cursor_.AtEnd() && !cursor_.Take(">>")) cursor_.Seek(cursor_.at() + 1);
      } else {
        if (Status status = Condition(); !status) return status;
      }
    }
    for (Observed& observed : listed) Observe(std::move(observed));
    return {};
  }

  Result<int> Or() {
    Result<int> left = And();
    while (left && cursor_.Take("\\/")) {
      Result<int> right = And();
      if (!right) return right;
      left = Add({Prop::Kind::kOr, Op::kEq, *left, *right, 0, 0});
    }
    if (left && cursor_.Take("=>")) {
      Result<int> right = Or();
      if (!right) return right;
      int denied = Add({Prop::Kind::kNot, Op::kEq, *left, -1, 0, 0});
      left = Add({Prop::Kind::kOr, Op::kEq, denied, *right, 0, 0});
    }
    return left;
  }

 private:
  int Add(Prop prop) {
    test_.props.push_back(prop);
    return static_cast<int>(test_.props.size()) - 1;
  }

  int Observe(Observed observed) {
    auto found = std::find(test_.observed.begin(), test_.observed.end(), observed);
    if (found == test_.observed.end()) found = test_.observed.insert(found, std::move(observed));
    return static_cast<int>(found - test_.observed.begin());
  }

  Status Condition() {
    cursor_.Skip();
    size_t begin = cursor_.at();
    if (test_.condition >= 0) return cursor_.Wrong("unexpected " + cursor_.Shown() + " after the condition");
    bool negated = cursor_.Take("~") || cursor_.TakeWord("not");
    if (cursor_.TakeWord("exists") || cursor_.TakeWord("final")) {
      test_.quantifier = negated ? Quantifier::kNotExists : Quantifier::kExists;
    } else if (!negated && (cursor_.TakeWord("forall") || cursor_.TakeWord("assert"))) {
      test_.quantifier = Quantifier::kForall;
    } else {
      return cursor_.Wrong("expected `exists`, `~exists` or `forall`, found " + cursor_.Shown());
    }
    Result<int> prop = Or();
    if (!prop) return prop.error();
    test_.condition = *prop;
    test_.condition_text = Words(cursor_.Text(begin, cursor_.at()));
    cursor_.Take(";");
    return {};
  }

  static std::string Words(std::string_view text) {
    std::string out;
    for (char c : text) {
      bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (blank && (out.empty() || out.back() == ' ' || out.back() == '(')) continue;
      if (!blank && c == ')' && !out.empty() && out.back() == ' ') out.pop_back();
      out += blank ? ' ' : c;
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }

  Status Locations(std::vector<Observed>& listed) {
    if (Status status = cursor_.Need("[", "after `locations`"); !status) return status;
    while (!cursor_.Take("]")) {
      if (cursor_.AtEnd()) return cursor_.Wrong("expected `]`");
      if (cursor_.Take(";") || cursor_.Take(",")) continue;
      Result<Observed> observed = Thing();
      if (!observed) return observed.error();
      // x where x is an array: all its elements.
      if (observed->thread < 0 && test_.FindCell(observed->shown + "[0]") >= 0) {
        for (int i = 0; test_.FindCell(observed->shown + "[" + std::to_string(i) + "]") >= 0; ++i) {
          std::string name = observed->shown + "[" + std::to_string(i) + "]";
          listed.push_back({-1, test_.FindCell(name), name});
        }
        continue;
      }
      listed.push_back(std::move(*observed));
    }
    cursor_.Take(";");
    return {};
  }

  Result<int> And() {
    Result<int> left = Unary();
    while (left && cursor_.Take("/\\")) {
      Result<int> right = Unary();
      if (!right) return right;
      left = Add({Prop::Kind::kAnd, Op::kEq, *left, *right, 0, 0});
    }
    return left;
  }

  Result<int> Unary() {
    if (++depth_ > 200) return cursor_.Wrong("the condition is nested too deeply");
    Result<int> result = Plain();
    --depth_;
    return result;
  }

  Result<int> Plain() {
    if (cursor_.Take("~") || cursor_.TakeWord("not")) {
      Result<int> inner = Unary();
      if (!inner) return inner;
      return Add({Prop::Kind::kNot, Op::kEq, *inner, -1, 0, 0});
    }
    if (cursor_.Take("(")) {
      Result<int> inner = Or();
      if (!inner) return inner;
      if (Status status = cursor_.Need(")", "in the condition"); !status) return status.error();
      return inner;
    }
    if (cursor_.PeekWord() == "fault" || cursor_.PeekWord() == "Fault") {
      return cursor_.Wrong("faults are not modelled");
    }
    if (cursor_.TakeWord("true")) return Add({});
    if (cursor_.TakeWord("false")) return Add({Prop::Kind::kFalse, Op::kEq, -1, -1, 0, 0});
    return Compare();
  }

  Result<int> Compare() {
    Prop prop;
    prop.kind = Prop::Kind::kCompare;
    if (std::optional<int64_t> number = TakePlainNumber()) {
      prop.left_value = *number;
    } else {
      Result<Observed> left = Thing();
      if (!left) return left.error();
      prop.left = Observe(std::move(*left));
    }
    static constexpr std::pair<std::string_view, Op> kOps[] = {{"==", Op::kEq}, {"!=", Op::kNe}, {"<>", Op::kNe},
                                                               {"<=", Op::kLe}, {">=", Op::kGe}, {"=", Op::kEq},
                                                               {"<", Op::kLt},  {">", Op::kGt}};
    auto op =
        std::find_if(std::begin(kOps), std::end(kOps), [&](const auto& entry) { return cursor_.Take(entry.first); });
    if (op == std::end(kOps)) return cursor_.Wrong("expected `=` in the condition, found " + cursor_.Shown());
    prop.compare = op->second;
    if (std::optional<int64_t> number = TakePlainNumber()) {
      prop.right_value = *number;
      return Add(prop);
    }
    if (std::optional<int64_t> address = TakeAddress()) {
      prop.right_value = *address;
      return Add(prop);
    }
    Result<Observed> right = Thing();
    if (!right) return right.error();
    prop.right = Observe(std::move(*right));
    return Add(prop);
  }

  // A number that is not the thread of a register.
  std::optional<int64_t> TakePlainNumber() {
    size_t before = cursor_.at();
    std::optional<int64_t> number = cursor_.Number();
    if (number && cursor_.Peek() != ':') return number;
    cursor_.Seek(before);
    return std::nullopt;
  }

  // The name of a location on the right side: its address. &x too.
  std::optional<int64_t> TakeAddress() {
    size_t before = cursor_.at();
    cursor_.Take("&");
    std::string_view word = cursor_.Word();
    int cell = word.empty() || cursor_.Peek() == ':' ? -1 : test_.FindCell(word);
    if (cell < 0 && !word.empty() && cursor_.Peek() != ':') cell = test_.FindCell(std::string(word) + "[0]");
    if (cell >= 0) {
      int64_t address = test_.cells[static_cast<size_t>(cell)].address;
      if (cursor_.Take("[")) {
        int64_t index = cursor_.Number().value_or(0);
        int element = test_.FindCell(std::string(word) + "[" + std::to_string(index) + "]");
        if (element >= 0 && cursor_.Take("]")) return test_.cells[static_cast<size_t>(element)].address;
        cursor_.Seek(before);
        return std::nullopt;
      }
      return address;
    }
    cursor_.Seek(before);
    return std::nullopt;
  }

  // 1:EAX, P1:r0, x, [x], *x, x[1].
  Result<Observed> Thing() {
    cursor_.Skip();
    size_t begin = cursor_.at();
    if (cursor_.Peek() == 'P') {
      cursor_.Seek(cursor_.at() + 1);
      if (!cursor_.Number() || cursor_.Peek() != ':')
        cursor_.Seek(begin);
      else
        cursor_.Seek(begin + 1);
    }
    if (std::optional<int64_t> thread = cursor_.Number()) {
      if (Status status = cursor_.Need(":", "after the number of a thread"); !status) return status.error();
      return RegisterOf(*thread);
    }
    bool bracket = cursor_.Take("[");
    cursor_.Take("*");
    cursor_.Take(".");
    std::string name(cursor_.Word());
    if (name.empty()) return cursor_.Wrong("expected a register or a location, found " + cursor_.Shown());
    if (cursor_.Peek() == '[' && !bracket) {
      cursor_.Take("[");
      name += "[" + std::to_string(cursor_.Number().value_or(0)) + "]";
      if (Status status = cursor_.Need("]", "after the index"); !status) return status.error();
    }
    if (bracket) {
      if (Status status = cursor_.Need("]", "after the location"); !status) return status.error();
    }
    Observed observed;
    observed.shown = bracket ? "[" + name + "]" : name;
    observed.index = test_.FindCell(name);
    if (observed.index < 0) observed.index = test_.FindCell(name + "[0]");
    if (observed.index < 0) {
      if (name.find('[') != std::string::npos)
        return cursor_.WrongAt(begin, cursor_.at(), "there is no `" + name + "`");
      observed.index = CellNamed(test_, name);
    }
    return observed;
  }

  Result<Observed> RegisterOf(int64_t thread) {
    size_t begin = cursor_.at();
    cursor_.Take("%");
    std::string word(cursor_.Word());
    int index = ThreadNumbered(test_, thread);
    if (index < 0) {
      return cursor_.WrongAt(begin, cursor_.at() + 1, "the test has no thread " + std::to_string(thread));
    }
    std::string name = parser_.RegisterName(word);
    if (name.empty()) return cursor_.WrongAt(begin, cursor_.at() + 1, "`" + word + "` is not a register");
    bool is_c = test_.arch == Arch::kC || test_.arch == Arch::kOpenCl;
    const auto& registers = test_.threads[static_cast<size_t>(index)].registers;
    bool known = std::find(registers.begin(), registers.end(), name) != registers.end();
    Observed observed;
    observed.thread = index;
    observed.index = ThreadBuilder(test_, index).Register(name);
    // A parameter holds the address of its location.
    if (int cell = test_.FindCell(name); is_c && !known && cell >= 0) {
      test_.threads[static_cast<size_t>(index)].register_init[static_cast<size_t>(observed.index)] =
          test_.cells[static_cast<size_t>(cell)].address;
    }
    observed.shown = std::to_string(thread) + ":" + word;
    return observed;
  }

  Cursor& cursor_;
  Test& test_;
  const InstructionParser& parser_;
  int depth_ = 0;
};

}  // namespace

Result<int> ParseProp(Cursor& cursor, Test& test, const InstructionParser& parser) {
  return EndingParser(cursor, test, parser).Or();
}

Status ParseEnding(Cursor& cursor, Test& test, const InstructionParser& parser) {
  return EndingParser(cursor, test, parser).Run();
}

}  // namespace heddle::litmus
