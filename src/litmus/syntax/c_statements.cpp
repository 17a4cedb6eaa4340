#include <algorithm>
#include <array>
#include <cctype>

#include "litmus/syntax/c_parser.h"
#include "litmus/syntax/parse_impl.h"

namespace heddle::litmus {
namespace {

constexpr std::array<std::string_view, 33> kTypes = {
    "int",      "long",     "short",      "char",        "unsigned",    "signed",      "void",
    "bool",     "_Bool",    "atomic_int", "atomic_bool", "atomic_t",    "volatile",    "const",
    "register", "intptr_t", "size_t",     "uint32_t",    "int32_t",     "uint64_t",    "int64_t",
    "uint8_t",  "int8_t",   "uint16_t",   "int16_t",     "atomic_uint", "atomic_long", "atomic_flag",
    "global",   "local",    "__global",   "__local",     "uint"};

bool IsTypeWord(std::string_view word) {
  return std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end() || word.starts_with("atomic_u") ||
         word == "struct" || word == "uintptr_t" || word == "static" || word == "_Atomic";
}

constexpr int kDeepest = 200;

}  // namespace

bool CFunctionParser::AtType() { return IsTypeWord(cursor_.PeekWord()); }

void CFunctionParser::SkipType() {
  while (AtType()) {
    bool structure = cursor_.Word() == "struct";
    if (structure) cursor_.Word();
  }
  while (cursor_.Take("*")) {
  }
  while (AtType()) cursor_.Word();
}

bool CFunctionParser::IsLocal(const std::string& name) const {
  return std::find(locals_.begin(), locals_.end(), name) != locals_.end();
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
    while (AtType()) {
      std::string_view word = cursor_.Word();
      if (word.starts_with("atomic") || word == "_Atomic") atomic = true;
      if (word == "local" || word == "__local") local = true;
      if (word == "struct") cursor_.Word();
    }
    while (cursor_.Take("*")) {
    }
    while (AtType()) cursor_.Word();
    std::string name(cursor_.Word());
    if (name.empty()) {
      if (cursor_.Peek() == ')') continue;  // (void)
      return cursor_.Wrong("expected a parameter, found " + cursor_.Shown());
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
  if (++depth_ > kDeepest) return cursor_.Wrong("statements are nested too deeply");
  Status status = [&]() -> Status {
    if (cursor_.Take(";")) return {};
    if (cursor_.Peek() == '{') return Block();
    std::string_view word = cursor_.PeekWord();
    if (word == "if") return If();
    if (word == "while") return While();
    if (word == "do") return DoWhile();
    if (word == "return") {
      while (!cursor_.AtEnd() && cursor_.Peek() != ';') cursor_.Seek(cursor_.at() + 1);
      thread_.Branch(-1, "%end");
      return cursor_.Need(";", "after return");
    }
    if (word == "for" || word == "switch" || word == "goto") {
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
  if (Status status = Statement(); !status) return status;
  thread_.Branch(-1, top);
  thread_.Label(end);
  return {};
}

Status CFunctionParser::DoWhile() {
  cursor_.Word();
  std::string top = NewLabel();
  thread_.Label(top);
  if (Status status = Statement(); !status) return status;
  if (!cursor_.TakeWord("while")) return cursor_.Wrong("expected `while`, found " + cursor_.Shown());
  if (Status status = cursor_.Need("(", "after while"); !status) return status;
  Result<int> condition = Expression();
  if (!condition) return condition.error();
  if (Status status = cursor_.Need(")", "after the condition"); !status) return status;
  thread_.Branch(thread_.Binary(Op::kNe, *condition, thread_.Const(0)), top);
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
    locals_.push_back(name);
    thread_.Register(name);
    if (value >= 0) thread_.Assign(name, value);
  } while (cursor_.Take(","));
  return {};
}

// An assignment, a call, or any other expression.
Status CFunctionParser::Simple() {
  size_t begin = cursor_.at();
  if (cursor_.Peek() == '*') {
    size_t star = cursor_.at();
    cursor_.Take("*");
    Result<int> address = Unary();
    if (!address) return address.error();
    if (cursor_.Peek() == '=' && !cursor_.Rest().starts_with("==")) {
      cursor_.Take("=");
      Result<int> value = Expression();
      if (!value) return value.error();
      PlainStore(*address, *value);
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
        PlainStore(thread_.AddressOf(name), *value);
        return {};
      }
      if (!IsLocal(name)) locals_.push_back(name);
      thread_.Assign(name, *value);
      return {};
    } else if (!name.empty() && (cursor_.Take("++") || cursor_.Take("--"))) {
      bool up = cursor_.Text(cursor_.at() - 1, cursor_.at()) == "+";
      thread_.Assign(name, thread_.Binary(up ? Op::kAdd : Op::kSub, thread_.Reg(name), thread_.Const(1)));
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
  while (!AtEnding(cursor)) {
    size_t begin = cursor.at();
    std::string name(cursor.Word());
    bool numbered = name.size() >= 2 && name[0] == 'P' &&
                    std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!numbered) {
      if (IsTypeWord(name)) continue;  // void P0 (...)
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
    if (Status status = CFunctionParser(cursor, builder, opencl).Run(); !status) return status;
  }
  if (test.threads.empty()) return cursor.Wrong("the test has no threads");
  return {};
}

}  // namespace heddle::litmus
