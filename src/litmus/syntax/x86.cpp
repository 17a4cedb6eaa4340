#include <algorithm>
#include <cctype>
#include <map>

#include "litmus/syntax/parse_impl.h"

// X86 with Intel operands (MOV [x],1) and X86_64 with those of AT&T (movl $1,(x)): the order of the operands is the
// language's, the form of each operand is seen from what it starts with. Comparisons keep their operands in two
// registers of their own, which conditional jumps compare.
namespace heddle::litmus {
namespace {

constexpr std::string_view kLeft = "%left";
constexpr std::string_view kRight = "%right";

struct Operand {
  enum class Kind { kRegister, kImmediate, kMemory } kind = Kind::kImmediate;
  std::string reg;
  int expr = -1;  // value, or address of memory
  int width = 0;  // bytes, 0: not said
};

std::string Lower(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

struct Register {
  std::string name;
  int width = 0;
};

// eax, %rax, al, r8d ... Empty name: not a register.
Register FindRegister(std::string_view word) {
  std::string w = Lower(word);
  static constexpr std::string_view kFour[] = {"ax", "bx", "cx", "dx"};
  for (std::string_view base : kFour) {
    std::string name = "R" + std::string(1, static_cast<char>(std::toupper(base[0]))) + "X";
    if (w == "r" + std::string(base)) return {name, 8};
    if (w == "e" + std::string(base)) return {name, 4};
    if (w == base) return {name, 2};
    if (w == std::string(1, base[0]) + "l") return {name, 1};
  }
  static constexpr std::string_view kPointers[] = {"si", "di", "sp", "bp"};
  for (std::string_view base : kPointers) {
    std::string name = "R" + std::string(base);
    if (w == "r" + std::string(base)) return {name, 8};
    if (w == "e" + std::string(base)) return {name, 4};
    if (w == base) return {name, 2};
    if (w == std::string(base) + "l") return {name, 1};
  }
  if (w.size() >= 2 && w[0] == 'r' && std::isdigit(static_cast<unsigned char>(w[1])) != 0) {
    size_t digits = w.find_first_not_of("0123456789", 1);
    std::string suffix = digits == std::string::npos ? "" : w.substr(digits);
    int width = suffix.empty() ? 8 : suffix == "d" ? 4 : suffix == "w" ? 2 : suffix == "b" ? 1 : 0;
    if (width != 0) return {"R" + w.substr(1, (digits == std::string::npos ? w.size() : digits) - 1), width};
  }
  return {};
}

class X86Parser : public InstructionParser {
 public:
  explicit X86Parser(Arch arch) : wide_(arch == Arch::kX86_64) {}

  std::string RegisterName(std::string_view word) const override { return FindRegister(word).name; }

  Status Parse(Cursor& cursor, ThreadBuilder& thread) override {
    size_t begin = cursor.at();
    bool att = Att(cursor.Rest());
    std::string op = Lower(cursor.Word());
    bool locked = op == "lock";
    if (locked) {
      cursor.Take(";");
      op = Lower(cursor.Word());
    }
    if (op.empty()) return cursor.Wrong("expected an instruction, found " + cursor.Shown());
    if (op == "mfence" || op == "sfence" || op == "lfence") return Fence(op, thread);
    if (op == "nop" || op == "pause") return {};
    if (op == "ret") {
      thread.Branch(-1, kEndLabel);
      return {};
    }
    if (op[0] == 'j') return Jump(cursor, thread, op, begin);
    std::vector<Operand> operands;
    if (Status status = Operands(cursor, thread, operands); !status) return status;
    std::string name = op;
    int width = 4;
    Strip(name, width, operands);
    if (att) std::reverse(operands.begin(), operands.end());
    for (const Operand& operand : operands) {
      if (operand.kind != Operand::Kind::kImmediate && operand.width > 0) width = operand.width;
    }
    Status status = Build(thread, name, operands, locked, width);
    if (!status) return cursor.WrongAt(begin, cursor.at(), status.error().message);
    return {};
  }

 private:
  // AT&T has the source first, % before registers, $ before numbers and ( ) around addresses. Intel's form has [ ], and
  // tests of 32 bits write $ in it too.
  bool Att(std::string_view text) const {
    text = text.substr(0, text.find_first_of(";\n"));
    if (text.find('[') != std::string_view::npos) return false;
    return text.find_first_of("%(") != std::string_view::npos || (wide_ && text.find('$') != std::string_view::npos);
  }

  static bool Known(const std::string& name) {
    static constexpr std::string_view kNames[] = {"mov", "xchg", "cmp", "test", "add",  "sub",     "and",
                                                  "or",  "xor",  "inc", "dec",  "xadd", "cmpxchg", "movnti",
                                                  "lea", "neg",  "not", "shl",  "shr",  "sal",     "imul"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  }

  // movl is mov with a size.
  static void Strip(std::string& name, int& width, const std::vector<Operand>&) {
    if (Known(name) || name.size() < 3) return;
    static constexpr std::pair<char, int> kSizes[] = {{'b', 1}, {'w', 2}, {'l', 4}, {'q', 8}};
    for (auto [letter, size] : kSizes) {
      if (name.back() != letter || !Known(name.substr(0, name.size() - 1))) continue;
      name.pop_back();
      width = size;
      return;
    }
  }

  static Status Fence(const std::string& op, ThreadBuilder& thread) {
    Instr& fence = thread.Emit(Instr::Kind::kFence);
    fence.tags.set(op == "mfence" ? TagOf("MFENCE") : op == "sfence" ? TagOf("SFENCE") : TagOf("LFENCE"));
    return {};
  }

  Status Jump(Cursor& cursor, ThreadBuilder& thread, const std::string& op, size_t begin) {
    static const std::map<std::string, Op> kConditions = {
        {"je", Op::kEq},  {"jz", Op::kEq},   {"jne", Op::kNe}, {"jnz", Op::kNe}, {"jl", Op::kLt},
        {"jle", Op::kLe}, {"jg", Op::kGt},   {"jge", Op::kGe}, {"jb", Op::kLtU}, {"jbe", Op::kLeU},
        {"ja", Op::kGtU}, {"jae", Op::kGeU}, {"js", Op::kLt},  {"jns", Op::kGe},
    };
    std::string label(cursor.Word());
    if (op == "jmp") {
      thread.Branch(-1, label);
      return {};
    }
    auto found = kConditions.find(op);
    if (found == kConditions.end()) return cursor.WrongAt(begin, cursor.at(), "unknown instruction `" + op + "`");
    int condition = thread.Binary(found->second, thread.Reg(kLeft), thread.Reg(kRight));
    thread.Branch(condition, label);
    return {};
  }

  Status Operands(Cursor& cursor, ThreadBuilder& thread, std::vector<Operand>& operands) {
    if (cursor.AtEnd()) return {};
    do {
      Result<Operand> operand = One(cursor, thread);
      if (!operand) return operand.error();
      operands.push_back(*operand);
    } while (cursor.Take(","));
    return {};
  }

  Result<Operand> One(Cursor& cursor, ThreadBuilder& thread) {
    Operand operand;
    static constexpr std::pair<std::string_view, int> kSizes[] = {{"byte", 1}, {"word", 2}, {"dword", 4}, {"qword", 8}};
    int size = 0;
    for (auto [word, bytes] : kSizes) {
      if (Lower(cursor.PeekWord()) != word) continue;
      cursor.Word();
      size = bytes;
      break;
    }
    if (size != 0 && Lower(cursor.PeekWord()) == "ptr") cursor.Word();
    if (cursor.Take("$")) {
      if (std::optional<int64_t> number = cursor.Number()) {
        operand.expr = thread.Const(*number);
        return operand;
      }
      std::string name(cursor.Word());
      if (name.empty()) return cursor.Wrong("expected a number, found " + cursor.Shown());
      operand.expr = thread.AddressOf(name);
      return operand;
    }
    if (cursor.Take("[")) {
      Result<Operand> memory = Memory(cursor, thread, "]", 0);
      if (memory) memory->width = size;
      return memory;
    }
    if (cursor.Take("(")) return Memory(cursor, thread, ")", 0);
    if (std::optional<int64_t> number = cursor.Number()) {
      if (cursor.Take("(")) return Memory(cursor, thread, ")", *number);
      operand.expr = thread.Const(*number);
      return operand;
    }
    cursor.Take("%");
    std::string word(cursor.Word());
    if (word.empty()) return cursor.Wrong("expected an operand, found " + cursor.Shown());
    if (Register reg = FindRegister(word); !reg.name.empty()) {
      operand.kind = Operand::Kind::kRegister;
      operand.reg = reg.name;
      operand.width = reg.width;
      operand.expr = Narrow(thread, thread.Reg(reg.name), reg.width);
      return operand;
    }
    operand.kind = Operand::Kind::kMemory;
    operand.expr = thread.AddressOf(word);
    if (cursor.Take("(")) {  // x(%rip)
      cursor.Take("%");
      cursor.Word();
      if (Status status = cursor.Need(")", "after the operand"); !status) return status.error();
    }
    return operand;
  }

  // [x], [x+4], [rax], (%rax), 4(%rax).
  Result<Operand> Memory(Cursor& cursor, ThreadBuilder& thread, std::string_view close, int64_t offset) {
    Operand operand;
    operand.kind = Operand::Kind::kMemory;
    int sum = offset == 0 ? -1 : thread.Const(offset);
    do {
      int term = -1;
      cursor.Take("%");
      if (std::optional<int64_t> number = cursor.Number()) {
        term = thread.Const(*number);
      } else {
        std::string word(cursor.Word());
        if (word.empty()) return cursor.Wrong("expected an address, found " + cursor.Shown());
        Register reg = FindRegister(word);
        term = reg.name.empty() ? thread.AddressOf(word) : thread.Reg(reg.name);
      }
      sum = sum < 0 ? term : thread.Binary(Op::kAdd, sum, term);
    } while (cursor.Take("+") || cursor.Take(","));
    if (Status status = cursor.Need(close, "after the address"); !status) return status.error();
    operand.expr = sum;
    return operand;
  }

  static int Narrow(ThreadBuilder& thread, int expr, int width) {
    if (width == 4) return thread.Unary(Op::kZext32, expr);
    if (width == 2) return thread.Unary(Op::kZext16, expr);
    if (width == 1) return thread.Unary(Op::kZext8, expr);
    return expr;
  }

  static Status Bad(std::string message) { return MakeError(ErrorCode::kBadInput, std::move(message)); }

  static void Load(ThreadBuilder& thread, std::string_view reg, const Operand& memory, int width) {
    int dst = thread.Register(reg);
    Instr& load = thread.Emit(Instr::Kind::kLoad);
    load.dst = dst;
    load.addr = memory.expr;
    load.width = width;
  }

  static void Store(ThreadBuilder& thread, const Operand& memory, int value, int width) {
    int narrow = width < 4 ? Narrow(thread, value, width) : value;
    Instr& store = thread.Emit(Instr::Kind::kStore);
    store.addr = memory.expr;
    store.value = narrow;
    store.width = width;
  }

  // The value of an operand; memory is read into a register of its own first.
  static int Value(ThreadBuilder& thread, const Operand& operand, int width) {
    if (operand.kind != Operand::Kind::kMemory) return operand.expr;
    Load(thread, "%memory", operand, width);
    return thread.Reg("%memory");
  }

  static Instr& Locked(ThreadBuilder& thread, const Operand& memory, int value, int width) {
    Instr& rmw = thread.Emit(Instr::Kind::kRmw);
    rmw.addr = memory.expr;
    rmw.value = value;
    rmw.amo = true;
    rmw.width = width;
    rmw.tags = rmw.write_tags = Tags({TagOf("A"), TagOf("X")});
    return rmw;
  }

  static void Compare(ThreadBuilder& thread, int left, int right) {
    thread.Assign(kLeft, left);
    thread.Assign(kRight, right);
  }

  Status Build(ThreadBuilder& thread, const std::string& name, std::vector<Operand>& o, bool locked, int width) {
    using Kind = Operand::Kind;
    if (name == "mov" || name == "movnti" || name == "lea") {
      if (o.size() != 2) return Bad("`" + name + "` has two operands");
      if (o[0].kind == Kind::kMemory) {
        if (o[1].kind == Kind::kMemory) return Bad("`mov` from memory to memory");
        Store(thread, o[0], o[1].expr, width);
      } else if (o[0].kind != Kind::kRegister) {
        return Bad("the destination is a number");
      } else if (o[1].kind == Kind::kMemory && name != "lea") {
        Load(thread, o[0].reg, o[1], width);
      } else {
        thread.Assign(o[0].reg, o[1].kind == Kind::kMemory ? o[1].expr : Narrow(thread, o[1].expr, o[0].width));
      }
      return {};
    }
    if (name == "xchg") return Exchange(thread, o, width);
    if (name == "cmp" || name == "test") {
      if (o.size() != 2) return Bad("`" + name + "` has two operands");
      int a = Value(thread, o[0], width);
      int b = o[1].kind == Kind::kMemory ? Value(thread, o[1], width) : o[1].expr;
      if (name == "cmp" && width == 4) {
        Compare(thread, thread.Unary(Op::kSext32, a), thread.Unary(Op::kSext32, b));
      } else if (name == "cmp") {
        Compare(thread, a, b);
      } else {
        Compare(thread, thread.Binary(Op::kAnd, a, b), thread.Const(0));
      }
      return {};
    }
    if (name == "xadd" || name == "cmpxchg") return TwoWay(thread, name, o, locked, width);
    static const std::map<std::string, Op> kOps = {
        {"add", Op::kAdd},  {"sub", Op::kSub}, {"and", Op::kAnd},       {"or", Op::kOr},   {"xor", Op::kXor},
        {"inc", Op::kAdd},  {"dec", Op::kSub}, {"shl", Op::kShl},       {"sal", Op::kShl}, {"shr", Op::kShr},
        {"imul", Op::kMul}, {"neg", Op::kNeg}, {"not", Op::kComplement}};
    auto op = kOps.find(name);
    if (op == kOps.end()) return Bad("unknown instruction `" + name + "`");
    bool one = name == "inc" || name == "dec" || name == "neg" || name == "not";
    if (o.size() != (one ? 1U : 2U)) return Bad("`" + name + "` has " + (one ? "one operand" : "two operands"));
    return Arithmetic(thread, op->second, o, one, locked, width);
  }

  static Status Arithmetic(ThreadBuilder& thread, Op op, std::vector<Operand>& o, bool one, bool locked, int width) {
    bool unary = op == Op::kNeg || op == Op::kComplement;
    int right = one ? thread.Const(1) : Value(thread, o[1], width);
    auto apply = [&](int value) { return unary ? thread.Unary(op, value) : thread.Binary(op, value, right); };
    if (o[0].kind == Operand::Kind::kImmediate) return Bad("the destination is a number");
    if (o[0].kind == Operand::Kind::kRegister) {
      thread.Assign(o[0].reg, Narrow(thread, apply(o[0].expr), o[0].width));
      Compare(thread, thread.Reg(o[0].reg), thread.Const(0));
      return {};
    }
    if (locked) {
      int old = thread.Register("%memory");
      Locked(thread, o[0], Narrow(thread, apply(thread.Old()), width), width).dst = old;
      Compare(thread, Narrow(thread, apply(thread.Reg("%memory")), width), thread.Const(0));
      return {};
    }
    Load(thread, "%memory", o[0], width);
    int value = Narrow(thread, apply(thread.Reg("%memory")), width);
    Store(thread, o[0], value, width);
    Compare(thread, value, thread.Const(0));
    return {};
  }

  static Status Exchange(ThreadBuilder& thread, std::vector<Operand>& o, int width) {
    if (o.size() != 2) return Bad("`xchg` has two operands");
    if (o[0].kind == Operand::Kind::kRegister && o[1].kind == Operand::Kind::kRegister) {
      thread.Assign("%memory", o[0].expr);
      thread.Assign(o[0].reg, o[1].expr);
      thread.Assign(o[1].reg, thread.Reg("%memory"));
      return {};
    }
    const Operand& memory = o[0].kind == Operand::Kind::kMemory ? o[0] : o[1];
    const Operand& reg = o[0].kind == Operand::Kind::kMemory ? o[1] : o[0];
    if (memory.kind != Operand::Kind::kMemory || reg.kind != Operand::Kind::kRegister) {
      return Bad("`xchg` needs a register and memory");
    }
    int dst = thread.Register(reg.reg);
    Locked(thread, memory, reg.expr, width).dst = dst;
    return {};
  }

  static Status TwoWay(ThreadBuilder& thread, const std::string& name, std::vector<Operand>& o, bool locked,
                       int width) {
    if (o.size() != 2 || o[0].kind != Operand::Kind::kMemory || o[1].kind != Operand::Kind::kRegister) {
      return Bad("`" + name + "` needs memory and a register");
    }
    if (!locked) return Bad("`" + name + "` without lock is not atomic: write `lock " + name + "`");
    if (name == "xadd") {
      int dst = thread.Register(o[1].reg);
      Locked(thread, o[0], Narrow(thread, thread.Binary(Op::kAdd, thread.Old(), o[1].expr), width), width).dst = dst;
      return {};
    }
    // RAX is compared; it gets the value that was there. Both halves are locked even when nothing is exchanged.
    int expected = Narrow(thread, thread.Reg("RAX"), width);
    thread.Assign(kRight, expected);
    int dst = thread.Register("RAX");
    Instr& rmw = Locked(thread, o[0], o[1].expr, width);
    rmw.dst = dst;
    rmw.expect = expected;
    rmw.fail_tags = rmw.tags;
    thread.Assign(kLeft, thread.Reg("RAX"));
    return {};
  }

  bool wide_;
};

}  // namespace

std::unique_ptr<InstructionParser> MakeX86Parser(Arch arch) { return std::make_unique<X86Parser>(arch); }

}  // namespace heddle::litmus
