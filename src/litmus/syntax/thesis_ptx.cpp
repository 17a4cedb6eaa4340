#include <algorithm>
#include <cctype>

#include "litmus/syntax/gpu_words.h"
#include "litmus/syntax/parse_impl.h"

// GPU_PTX: register declarations, columns separated by colons (or bars), a scope tree, a memory map, a condition. Each
// row of the program is a line.
namespace heddle::litmus {
namespace {

class ThesisPtxParser : public InstructionParser {
 public:
  std::string RegisterName(std::string_view word) const override { return std::string(word); }

  Status Parse(Cursor& cursor, ThreadBuilder& thread) override {
    begin_ = cursor.at();
    std::string skip;
    if (cursor.Take("@")) {
      // A predicate: jump over the instruction when it does not hold.
      bool negated = cursor.Take("!");
      cursor.Take("%");
      std::string predicate(cursor.Word());
      if (predicate.empty()) return cursor.Wrong("expected a predicate after `@`");
      skip = "%skip" + std::to_string(thread.thread().code.size());
      thread.Branch(thread.Binary(negated ? Op::kNe : Op::kEq, thread.Reg(predicate), thread.Const(0)), skip);
    }
    Status status = Plain(cursor, thread);
    if (!skip.empty()) thread.Label(skip);
    return status;
  }

 private:
  Status Plain(Cursor& cursor, ThreadBuilder& thread) {
    std::vector<std::string> op = DottedPieces(cursor.DottedWord());
    if (op[0].empty()) return cursor.Wrong("expected an instruction, found " + cursor.Shown());
    if (op[0] == "membar") return Membar(cursor, thread, op);
    if (op[0] == "bra") {
      thread.Branch(-1, cursor.Word());
      return {};
    }
    if (op[0] == "bar") return Barrier(cursor, thread);
    size_t at = cursor.at();
    // The first operand of all but stores and reductions is a register, whatever its name.
    if (op[0] != "st" && op[0] != "red") {
      cursor.Take("%");
      if (std::string word(cursor.PeekWord()); !word.empty()) thread.Register(word);
    }
    Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
    if (!o) return o.error();
    auto need = [&](size_t count) -> Status {
      if (o->size() == count) return {};
      return cursor.WrongAt(at, cursor.at(), "`" + op[0] + "` has " + std::to_string(count) + " operands");
    };
    if (op[0] == "ld" || op[0] == "st") {
      if (Status status = need(2); !status) return status;
      bool load = op[0] == "ld";
      int dst = load ? thread.Register((*o)[0].name) : -1;
      Instr& instr = thread.Emit(load ? Instr::Kind::kLoad : Instr::Kind::kStore);
      instr.dst = dst;
      instr.addr = (*o)[load ? 1 : 0].address;
      instr.value = load ? -1 : (*o)[1].value;
      return {};
    }
    if (op[0] == "atom" || op[0] == "red") return Atomic(cursor, thread, op, *o);
    if (op[0] == "setp") {
      if (Status status = need(3); !status) return status;
      static const std::map<std::string, Op> kOps = {{"eq", Op::kEq}, {"ne", Op::kNe}, {"lt", Op::kLt},
                                                     {"le", Op::kLe}, {"gt", Op::kGt}, {"ge", Op::kGe}};
      auto found = kOps.find(op.size() > 1 ? op[1] : "");
      if (found == kOps.end()) return cursor.WrongAt(begin_, cursor.at(), "setp needs eq, ne, lt, le, gt or ge");
      thread.Assign((*o)[0].name, thread.Binary(found->second, (*o)[1].value, (*o)[2].value));
      return {};
    }
    if (op[0] == "mov" || op[0] == "cvt") {
      if (Status status = need(2); !status) return status;
      thread.Assign((*o)[0].name, (*o)[1].value);
      return {};
    }
    Op arithmetic;
    if (GpuOperation(op[0], arithmetic)) {
      if (Status status = need(3); !status) return status;
      thread.Assign((*o)[0].name, thread.Binary(arithmetic, (*o)[1].value, (*o)[2].value));
      return {};
    }
    return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op[0] + "`");
  }

  Status Membar(Cursor& cursor, ThreadBuilder& thread, const std::vector<std::string>& op) {
    std::string level = op.size() > 1 ? op[1] : "";
    Tag tag = TagOf("MEMBAR.GL");
    if (level == "cta") {
      tag = TagOf("MEMBAR.CTA");
    } else if (level == "sys") {
      tag = TagOf("MEMBAR.SYS");
    } else if (level != "gl") {
      return cursor.WrongAt(begin_, cursor.at(), "membar needs .cta, .gl or .sys");
    }
    thread.Emit(Instr::Kind::kFence).tags.set(tag);
    return {};
  }

  Status Barrier(Cursor& cursor, ThreadBuilder& thread) {
    Result<std::vector<GpuOperand>> o = GpuOperands(cursor, thread);
    if (!o) return o.error();
    int number = o->empty() ? thread.Const(0) : (*o)[0].value;
    Instr& barrier = thread.Emit(Instr::Kind::kFence);
    barrier.barrier = number;
    barrier.tags = Tags({TagOf("CBAR"), TagOf("MEMBAR.CTA")});
    return {};
  }

  Status Atomic(Cursor& cursor, ThreadBuilder& thread, const std::vector<std::string>& op,
                const std::vector<GpuOperand>& o) {
    bool returns = op[0] == "atom";
    bool cas = false;
    bool increments = false;
    bool known = false;
    Op operation = Op::kOld;
    for (size_t i = 1; i < op.size(); ++i) {
      if (op[i] == "cas") cas = known = true;
      if (op[i] == "inc") increments = known = true;
      if (GpuOperation(op[i], operation)) known = true;
    }
    size_t first = returns ? 1 : 0;
    if (!known || o.size() != first + (cas ? 3U : 2U)) {
      return cursor.WrongAt(begin_, cursor.at(), "`" + op[0] + "` needs an operation and its operands");
    }
    int given = o[first + 1].value;
    int value = cas                     ? o[first + 2].value
                : operation == Op::kOld ? given
                                        : thread.Binary(operation, thread.Old(), given);
    if (increments) {  // wraps to 0 after the value that is given
      int more = thread.Binary(Op::kAdd, thread.Old(), thread.Const(1));
      value = thread.Add({Op::kSelect, thread.Binary(Op::kGeU, thread.Old(), given), thread.Const(0), more});
    }
    int dst = returns ? thread.Register(o[0].name) : -1;
    Instr& rmw = thread.Emit(Instr::Kind::kRmw);
    rmw.dst = dst;
    rmw.addr = o[first].address;
    rmw.value = value;
    rmw.expect = cas ? given : -1;
    rmw.amo = true;
    rmw.tags.set(TagOf("RMW"));
    rmw.write_tags = rmw.fail_tags = rmw.tags;
    return {};
  }

  size_t begin_ = 0;
};

class ThesisReader {
 public:
  ThesisReader(Cursor& cursor, Test& test) : cursor_(cursor), test_(test) {}

  Status Run() {
    if (Status status = Declarations(); !status) return status;
    if (Status status = Program(); !status) return status;
    if (Status status = ScopeTree(); !status) return status;
    if (Status status = MemoryMap(); !status) return status;
    return Condition();
  }

 private:
  // 0:.reg .s32 r0;   0:.reg .b64 r1 = x;   in braces or not.
  Status Declarations() {
    bool braces = cursor_.Take("{");
    while (cursor_.Peek() != 'P' || braces) {
      if (braces && cursor_.Take("}")) break;
      if (cursor_.Take(";")) continue;
      std::optional<int64_t> thread = cursor_.Number();
      if (!thread) {
        if (!braces) return cursor_.Wrong("expected a register declaration or P0, found " + cursor_.Shown());
        if (Status status = Location(); !status) return status;
        continue;
      }
      if (Status status = cursor_.Need(":", "after the number of a thread"); !status) return status;
      if (cursor_.Take(".reg")) {
        cursor_.Take(".");
        cursor_.Word();
      }
      cursor_.Take("%");
      std::string name(cursor_.Word());
      if (name.empty()) return cursor_.Wrong("expected the name of a register");
      LaterRegister reg{static_cast<int>(*thread), name, 0};
      if (cursor_.Take("=")) {
        if (std::optional<int64_t> number = cursor_.Number()) {
          reg.value = *number;
        } else {
          int cell = CellNamed(test_, cursor_.Word());
          reg.value = test_.cells[static_cast<size_t>(cell)].address;
        }
      }
      registers_.push_back(std::move(reg));
      if (Status status = cursor_.Need(";", "after the declaration"); !status) return status;
    }
    return {};
  }

  Status Location() {
    std::string name(cursor_.Word());
    if (name.empty()) return cursor_.Wrong("expected a location, found " + cursor_.Shown());
    int cell = CellNamed(test_, name);
    if (cursor_.Take("=")) test_.cells[static_cast<size_t>(cell)].init = cursor_.Number().value_or(0);
    cursor_.Take(";");
    return {};
  }

  static bool IsSeparator(std::string_view line, size_t i) {
    if (line[i] == '|') return true;
    if (line[i] != ':') return false;
    // A label is a word at the start of its column, with nothing between it and the colon.
    return i > 0 && (line[i - 1] == ' ' || line[i - 1] == '\t');
  }

  std::vector<std::pair<size_t, size_t>> Line() {
    std::string_view rest = cursor_.Rest();
    size_t length = std::min(rest.find('\n'), rest.size());
    std::vector<std::pair<size_t, size_t>> columns;
    size_t begin = 0;
    for (size_t i = 0; i < length; ++i) {
      if (!IsSeparator(rest, i)) continue;
      columns.emplace_back(cursor_.at() + begin, cursor_.at() + i);
      begin = i + 1;
    }
    size_t end = length;
    while (end > begin && (rest[end - 1] == ';' || std::isspace(static_cast<unsigned char>(rest[end - 1])) != 0)) --end;
    columns.emplace_back(cursor_.at() + begin, cursor_.at() + end);
    cursor_.Seek(cursor_.at() + length);
    return columns;
  }

  Status Program() {
    cursor_.Skip();
    Cursor whole = cursor_;
    for (const auto& [begin, end] : Line()) {
      Cursor column = whole.Within(begin, end);
      std::string name(column.Word());
      if (name.size() < 2 || name[0] != 'P')
        return whole.WrongAt(begin, end, "expected the name of a thread, P0 or P1 or ...");
      Thread thread;
      thread.name = name;
      test_.threads.push_back(std::move(thread));
    }
    std::vector<ThreadBuilder> threads;
    for (size_t i = 0; i < test_.threads.size(); ++i) threads.emplace_back(test_, static_cast<int>(i));
    for (const LaterRegister& reg : registers_) {
      int index = ThreadNumbered(test_, reg.thread);
      if (index < 0)
        return cursor_.Wrong("a register of thread " + std::to_string(reg.thread) + ", which is not there");
      int number = threads[static_cast<size_t>(index)].Register(reg.name);
      test_.threads[static_cast<size_t>(index)].register_init[static_cast<size_t>(number)] = reg.value;
    }
    while (!cursor_.AtEnd() && cursor_.Peek() != '(' && !AtMapOrCondition()) {
      whole = cursor_;
      auto columns = Line();
      if (columns.size() > threads.size()) return whole.Wrong("more columns than threads");
      for (size_t i = 0; i < columns.size(); ++i) {
        Cursor column = whole.Within(columns[i].first, columns[i].second);
        if (Status status = Column(column, threads[i]); !status) return status;
      }
    }
    for (ThreadBuilder& thread : threads) {
      if (Status status = thread.FinishLabels(cursor_); !status) return status;
    }
    return {};
  }

  Status Column(Cursor column, ThreadBuilder& thread) {
    while (!column.AtEnd()) {
      size_t begin = column.at();
      std::string label(column.Word());
      if (!label.empty() && column.Peek() == ':') {
        column.Take(":");
        thread.Label(label);
        continue;
      }
      column.Seek(begin);
      size_t first = thread.thread().code.size();
      int line = column.Line();
      if (Status status = parser_.Parse(column, thread); !status) return status;
      for (size_t i = first; i < thread.thread().code.size(); ++i) {
        thread.thread().code[i].line = line;
        thread.thread().code[i].text = std::string(column.Text(begin, column.at()));
      }
      if (!column.AtEnd()) return column.Wrong("unexpected " + column.Shown() + " after the instruction");
    }
    return {};
  }

  // "x: global" or a condition: a test without a scope tree.
  bool AtMapOrCondition() {
    size_t before = cursor_.at();
    std::string word(cursor_.Word());
    bool map = !word.empty() && cursor_.Take(":");
    std::string space(cursor_.Word());
    map = map && (space == "global" || space == "shared");
    cursor_.Seek(before);
    bool number = cursor_.Number().has_value();
    cursor_.Seek(before);
    return map || number || AtEnding(cursor_);
  }

  // (device (kernel (cta (warp P0) ...) ...)): each level counts its groups.
  Status ScopeTree() {
    if (cursor_.Peek() != '(') return {};
    size_t before = cursor_.at();
    cursor_.Take("(");
    std::string word(cursor_.Word());
    cursor_.Seek(before);
    if (word != "device" && word != "grid" && word != "kernel" && word != "cta" && word != "system") return {};
    test_.has_scope_tree = true;
    while (cursor_.Peek() == '(') {
      size_t here = cursor_.at();
      cursor_.Take("(");
      std::string level(cursor_.PeekWord());
      cursor_.Seek(here);
      if (level != "device" && level != "grid" && level != "kernel" && level != "cta" && level != "system") break;
      if (Status status = Group(0); !status) return status;
    }
    return {};
  }

  Status Group(int depth) {
    if (depth > 8) return cursor_.Wrong("the scope tree is nested too deeply");
    if (Status status = cursor_.Need("(", "in the scope tree"); !status) return status;
    std::string level(cursor_.Word());
    int id = ++groups_;
    if (level == "device") {
      scope_.device = id;
    } else if (level == "kernel" || level == "grid") {
      scope_.queue = id;
    } else if (level == "cta") {
      scope_.group = id;
    } else if (level == "warp") {
      scope_.warp = id;
    } else if (level != "system") {
      return cursor_.Wrong("expected device, kernel, cta or warp, found `" + level + "`");
    }
    while (!cursor_.Take(")")) {
      if (cursor_.AtEnd()) return cursor_.Wrong("the scope tree is not closed");
      if (cursor_.Peek() == '(') {
        if (Status status = Group(depth + 1); !status) return status;
        continue;
      }
      std::string name(cursor_.Word());
      auto found = std::find_if(test_.threads.begin(), test_.threads.end(),
                                [&](const Thread& thread) { return thread.name == name; });
      if (found == test_.threads.end())
        return cursor_.Wrong("the scope tree names `" + name + "`, which is not a thread");
      found->scope = scope_;
      if (level != "warp") found->scope.warp = ++groups_;
    }
    return {};
  }

  Status MemoryMap() {
    while (true) {
      size_t before = cursor_.at();
      std::string name(cursor_.Word());
      bool entry = !name.empty() && cursor_.Take(":");
      std::string space = entry ? std::string(cursor_.Word()) : "";
      if (space != "global" && space != "shared") {
        cursor_.Seek(before);
        return {};
      }
      int cell = CellNamed(test_, name);
      test_.cells[static_cast<size_t>(cell)].tags.set(space == "shared" ? TagOf("SHARED") : TagOf("GLOBAL"));
      if (!cursor_.Take(",")) cursor_.Take(";");
    }
  }

  Status Condition() {
    if (cursor_.AtEnd()) return {};
    std::string_view word = cursor_.PeekWord();
    char next = cursor_.Peek();
    if (word == "exists" || word == "forall" || word == "locations" || word == "filter" || next == '~') {
      return ParseEnding(cursor_, test_, parser_);
    }
    cursor_.Skip();
    size_t begin = cursor_.at();
    Result<int> prop = ParseProp(cursor_, test_, parser_);
    if (!prop) return prop.error();
    test_.condition = *prop;
    std::string text(cursor_.Text(begin, cursor_.at()));
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
    test_.condition_text = "exists (" + text + ")";
    if (!cursor_.AtEnd()) return cursor_.Wrong("unexpected " + cursor_.Shown() + " after the condition");
    return {};
  }

  Cursor& cursor_;
  Test& test_;
  ThesisPtxParser parser_;
  std::vector<LaterRegister> registers_;
  Scope scope_;
  int groups_ = 0;
};

}  // namespace

std::unique_ptr<InstructionParser> MakeThesisPtxParser() { return std::make_unique<ThesisPtxParser>(); }

Status ParseThesisPtx(Cursor& cursor, Test& test) { return ThesisReader(cursor, test).Run(); }

}  // namespace heddle::litmus
