#include <algorithm>
#include <cctype>

#include "litmus/syntax/c_parser.h"
#include "litmus/syntax/parse_impl.h"

namespace heddle::litmus {
namespace {

constexpr int kDeepestStatement = 200;

}  // namespace

bool CFunctionParser::AtType() {
  std::string word(cursor_.PeekWord());
  return IsCTypeWord(word) || unit_.types.contains(word);
}

void CFunctionParser::SkipType() {
  while (AtType()) {
    std::string word(cursor_.Word());
    if (word == "struct") cursor_.Word();
    if (word == "_Atomic" && cursor_.Take("(")) {
      SkipType();
      cursor_.Take(")");
    }
  }
  while (cursor_.Take("*")) {
  }
  while (AtType()) cursor_.Word();
}

std::string CFunctionParser::Declare(const std::string& name) {
  Frame& frame = frames_.back();
  auto [at, fresh] = frame.locals.emplace(name, name);
  if (fresh && frames_.size() > 1) at->second = "%" + name + "." + std::to_string(inlined_);
  thread_.Register(at->second);
  return at->second;
}

Status CFunctionParser::Run() {
  if (Status status = Parameters(); !status) return status;
  if (Status status = Block(); !status) return status;
  thread_.Label("%end");
  return thread_.FinishLabels(cursor_);
}

// Each parameter is a pointer to the location of the same name; its type says whether that is atomic, and where it
// lies.
Status CFunctionParser::Parameters() {
  if (Status status = cursor_.Need("(", "after the name of a thread"); !status) return status;
  while (!cursor_.Take(")")) {
    if (cursor_.AtEnd()) return cursor_.Wrong("the parameters are not closed by `)`");
    if (cursor_.Take(",")) continue;
    bool atomic = false;
    bool local = false;
    bool typed = false;
    while (AtType()) {
      std::string_view word = cursor_.Word();
      if (word.starts_with("atomic") || word == "_Atomic") atomic = true;
      if (word == "local" || word == "__local") local = true;
      if (word == "struct") cursor_.Word();
      if (word == "_Atomic" && cursor_.Take("(")) {
        SkipType();
        if (Status status = cursor_.Need(")", "after the atomic type"); !status) return status;
      }
      typed = true;
    }
    while (cursor_.Take("*")) {
    }
    while (AtType()) cursor_.Word();
    cursor_.Skip();
    size_t begin = cursor_.at();
    std::string name(cursor_.Word());
    if (!name.empty() && !typed && cursor_.Peek() != ',' && cursor_.Peek() != ')') {
      return cursor_.WrongAt(begin, begin + name.size(), "`" + name + "` is not a type that is known here");
    }
    if (name.empty()) {
      if (cursor_.Peek() == ')') continue;  // (void)
      return cursor_.Wrong("expected a parameter, found " + cursor_.Shown());
    }
    if (cursor_.Take("[")) {  // int x[]
      cursor_.Number();
      if (Status status = cursor_.Need("]", "after the size"); !status) return status;
    }
    if (cursor_.Peek() != ',' && cursor_.Peek() != ')') {
      return cursor_.Wrong("expected `,` or `)` after a parameter, found " + cursor_.Shown());
    }
    int cell = CellNamed(thread_.test(), name);
    parameters_[name] = cell;
    TagSet& tags = thread_.test().cells[static_cast<size_t>(cell)].tags;
    if (!atomic) tags.set(TagOf("NAL"));
    if (opencl_) tags.set(local ? TagOf("LOCAL") : TagOf("GLOBAL"));
  }
  return {};
}

Status CFunctionParser::Block() {
  if (Status status = cursor_.Need("{", "before the statements"); !status) return status;
  while (!cursor_.Take("}")) {
    if (cursor_.AtEnd()) return cursor_.Wrong("the function is not closed by `}`");
    if (Status status = Statement(); !status) return status;
  }
  return {};
}

Status CFunctionParser::Statement() {
  if (++depth_ > kDeepestStatement) return cursor_.Wrong("statements are nested too deeply");
  Status status = [&]() -> Status {
    if (cursor_.Take(";")) return {};
    if (cursor_.Peek() == '{') return Block();
    std::string_view word = cursor_.PeekWord();
    if (word == "if") return If();
    if (word == "while") return While();
    if (word == "do") return DoWhile();
    if (word == "return") return Return();
    if (word == "for") return For();
    if (word == "break" || word == "continue") return Leave(word == "continue");
    if (word == "switch" || word == "goto") {
      return cursor_.Wrong("`" + std::string(word) + "` is not supported in a test");
    }
    Status inner = AtType() ? Declaration() : Simple();
    if (!inner) return inner;
    return cursor_.Need(";", "after the statement");
  }();
  --depth_;
  return status;
}

// Ends the reach of the control dependency of the branch that `join` says it for.
void CFunctionParser::EndIf() { thread_.Emit(Instr::Kind::kEndIf); }

Status CFunctionParser::If() {
  cursor_.Word();
  if (Status status = cursor_.Need("(", "after if"); !status) return status;
  Result<int> condition = Expression();
  if (!condition) return condition.error();
  if (Status status = cursor_.Need(")", "after the condition"); !status) return status;
  std::string no = NewLabel();
  std::string end = NewLabel();
  thread_.Branch(thread_.Binary(Op::kEq, *condition, thread_.Const(0)), no);
  thread_.thread().code.back().join = 1;
  if (Status status = Statement(); !status) return status;
  bool other = cursor_.TakeWord("else");
  if (other) thread_.Branch(-1, end);
  thread_.Label(no);
  if (other) {
    if (Status status = Statement(); !status) return status;
    thread_.Label(end);
  }
  EndIf();
  return {};
}

Status CFunctionParser::While() {
  cursor_.Word();
  std::string top = NewLabel();
  std::string end = NewLabel();
  thread_.Label(top);
  if (Status status = cursor_.Need("(", "after while"); !status) return status;
  Result<int> condition = Expression();
  if (!condition) return condition.error();
  if (Status status = cursor_.Need(")", "after the condition"); !status) return status;
  thread_.Branch(thread_.Binary(Op::kEq, *condition, thread_.Const(0)), end);
  frames_.back().loops.emplace_back(end, top);
  if (Status status = Statement(); !status) return status;
  frames_.back().loops.pop_back();
  thread_.Branch(-1, top);
  thread_.Label(end);
  return {};
}

// The step stands before the body and is read after it.
Status CFunctionParser::For() {
  cursor_.Word();
  std::string top = NewLabel();
  std::string step = NewLabel();
  std::string end = NewLabel();
  if (Status status = cursor_.Need("(", "after for"); !status) return status;
  if (!cursor_.Take(";")) {
    Status first = AtType() ? Declaration() : Simple();
    if (!first) return first;
    if (Status status = cursor_.Need(";", "after the first part of for"); !status) return status;
  }
  thread_.Label(top);
  if (!cursor_.Take(";")) {
    Result<int> condition = Expression();
    if (!condition) return condition.error();
    thread_.Branch(thread_.Binary(Op::kEq, *condition, thread_.Const(0)), end);
    if (Status status = cursor_.Need(";", "after the condition of for"); !status) return status;
  }
  size_t step_at = cursor_.at();
  int depth = 1;
  while (depth > 0) {
    if (cursor_.AtEnd()) return cursor_.Wrong("for ( is not closed by `)`");
    if (cursor_.Peek() == '(') ++depth;
    if (cursor_.Peek() == ')') --depth;
    cursor_.Seek(cursor_.at() + 1);
  }
  frames_.back().loops.emplace_back(end, step);
  if (Status status = Statement(); !status) return status;
  frames_.back().loops.pop_back();
  size_t after = cursor_.at();
  thread_.Label(step);
  cursor_.Seek(step_at);
  if (cursor_.Peek() != ')') {
    if (Status status = Simple(); !status) return status;
    if (Status status = cursor_.Need(")", "after the step of for"); !status) return status;
  }
  cursor_.Seek(after);
  thread_.Branch(-1, top);
  thread_.Label(end);
  return {};
}

Status CFunctionParser::Return() {
  cursor_.Word();
  if (cursor_.Peek() != ';') {
    Result<int> value = Expression();
    if (!value) return value.error();
    if (!frames_.back().result.empty()) thread_.Assign(frames_.back().result, *value);
  }
  thread_.Branch(-1, frames_.back().end);
  return cursor_.Need(";", "after return");
}

Status CFunctionParser::Leave(bool again) {
  std::string word(cursor_.Word());
  if (frames_.back().loops.empty()) return cursor_.Wrong("`" + word + "` outside a loop");
  thread_.Branch(-1, again ? frames_.back().loops.back().second : frames_.back().loops.back().first);
  return cursor_.Need(";", "after " + word);
}

Status CFunctionParser::DoWhile() {
  cursor_.Word();
  std::string top = NewLabel();
  std::string test = NewLabel();
  std::string end = NewLabel();
  thread_.Label(top);
  frames_.back().loops.emplace_back(end, test);
  if (Status status = Statement(); !status) return status;
  frames_.back().loops.pop_back();
  thread_.Label(test);
  if (!cursor_.TakeWord("while")) return cursor_.Wrong("expected `while`, found " + cursor_.Shown());
  if (Status status = cursor_.Need("(", "after while"); !status) return status;
  Result<int> condition = Expression();
  if (!condition) return condition.error();
  if (Status status = cursor_.Need(")", "after the condition"); !status) return status;
  thread_.Branch(thread_.Binary(Op::kNe, *condition, thread_.Const(0)), top);
  thread_.Label(end);
  return cursor_.Need(";", "after the loop");
}

Status CFunctionParser::Declaration() {
  SkipType();
  do {
    while (cursor_.Take("*")) {
    }
    std::string name(cursor_.Word());
    if (name.empty()) return cursor_.Wrong("expected the name of a variable, found " + cursor_.Shown());
    int value = -1;
    if (cursor_.Take("=")) {
      Result<int> given = Expression();
      if (!given) return given.error();
      value = *given;
    }
    std::string variable = Declare(name);
    if (value >= 0) thread_.Assign(variable, value);
  } while (cursor_.Take(","));
  return {};
}

// An assignment, a call, or any other expression.
Status CFunctionParser::Simple() {
  size_t begin = cursor_.at();
  if (cursor_.Peek() == '*') {
    size_t star = cursor_.at();
    cursor_.Take("*");
    std::string pointer(cursor_.PeekWord());
    Result<int> address = Unary();
    if (!address) return address.error();
    if (cursor_.Peek() == '=' && !cursor_.Rest().starts_with("==")) {
      cursor_.Take("=");
      Result<int> value = Expression();
      if (!value) return value.error();
      Write({*address, PointsToAtomic(pointer)}, *value);
      return {};
    }
    cursor_.Seek(star);
  } else {
    std::string name(cursor_.Word());
    if (!name.empty() && cursor_.Peek() == ':' && name[0] == 'B') {  // B1: barrier(...)
      cursor_.Take(":");
      barrier_label_ = name;
      return Simple();
    }
    cursor_.Seek(begin);
    if (AtLvalue()) {
      Result<Place> place = Lvalue();
      if (!place) return place.error();
      if (cursor_.Peek() == '=' && !cursor_.Rest().starts_with("==")) {
        cursor_.Take("=");
        Result<int> value = Expression();
        if (!value) return value.error();
        Write(*place, *value);
        return {};
      }
      cursor_.Seek(begin);
      name.clear();
    } else {
      name = std::string(cursor_.Word());
    }
    if (!name.empty() && cursor_.Take("[")) {
      Result<int> index = Expression();
      if (!index) return index.error();
      if (Status status = cursor_.Need("]", "after the index"); !status) return status;
      if (cursor_.Peek() == '=' && !cursor_.Rest().starts_with("==")) {
        cursor_.Take("=");
        int base = thread_.AddressOf(name);
        int offset = thread_.Binary(Op::kMul, *index, thread_.Const(WidthAt(base)));
        Result<int> value = Expression();
        if (!value) return value.error();
        PlainStore(thread_.Binary(Op::kAdd, base, offset), *value);
        return {};
      }
    } else if (!name.empty() && cursor_.Peek() == '=' && !cursor_.Rest().starts_with("==")) {
      cursor_.Take("=");
      Result<int> value = Expression();
      if (!value) return value.error();
      if (!IsLocal(name) && !parameters_.contains(name) && thread_.test().FindCell(name) >= 0) {
        Write({thread_.AddressOf(name), unit_.atomic_globals.contains(name)}, *value);
        return {};
      }
      thread_.Assign(Declare(name), *value);
      return {};
    } else if (!name.empty() && IsLocal(name) &&
               (cursor_.Take("++") || cursor_.Take("--") || cursor_.Take("+=") || cursor_.Take("-="))) {
      std::string sign(cursor_.Text(cursor_.at() - 2, cursor_.at()));
      int amount = thread_.Const(1);
      if (sign[1] == '=') {
        Result<int> value = Expression();
        if (!value) return value.error();
        amount = *value;
      }
      const std::string& variable = Local(name);
      thread_.Assign(variable, thread_.Binary(sign[0] == '+' ? Op::kAdd : Op::kSub, thread_.Reg(variable), amount));
      return {};
    }
    cursor_.Seek(begin);
  }
  Result<int> value = Expression();
  if (!value) return value.error();
  return {};
}

Status ParseC(Cursor& cursor, Test& test, const std::vector<LaterRegister>& later) {
  bool opencl = test.arch == Arch::kOpenCl;
  CUnit unit;
  while (!AtEnding(cursor)) {
    if (Status status = ParseCUnit(cursor, test, unit); !status) return status;
    if (AtEnding(cursor)) break;
    size_t begin = cursor.at();
    std::string name(cursor.Word());
    bool numbered = name.size() >= 2 && name[0] == 'P' &&
                    std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!numbered) {
      return cursor.WrongAt(begin, std::max(begin + 1, cursor.at()),
                            "expected a thread, P0 or P1 or ..., or the condition");
    }
    Thread thread;
    thread.name = name;
    if (cursor.Take("@")) {
      test.has_scope_tree = true;
      if (Status status = ParseScopes(cursor, thread.scope); !status) return status;
    }
    test.threads.push_back(std::move(thread));
    ThreadBuilder builder(test, static_cast<int>(test.threads.size()) - 1);
    for (const LaterRegister& reg : later) {
      if ("P" + std::to_string(reg.thread) != name) continue;
      int number = builder.Register(reg.name);
      builder.thread().register_init[static_cast<size_t>(number)] = reg.value;
    }
    if (Status status = CFunctionParser(cursor, builder, unit, opencl).Run(); !status) return status;
  }
  if (test.threads.empty()) return cursor.Wrong("the test has no threads");
  return {};
}

}  // namespace heddle::litmus
