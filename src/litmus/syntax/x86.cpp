#include <algorithm>
#include <cctype>
#include <map>

#include "litmus/syntax/flags.h"
#include "litmus/syntax/parse_impl.h"

// X86 with Intel operands (MOV [x],1) and X86_64 with those of AT&T (movl $1,(x)): the order of the operands is the
// language's, the form of each operand is seen from what it starts with.
namespace heddle::litmus {
namespace {

constexpr std::string_view kMemoryRegister = "%memory";

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
    static constexpr std::string_view kNames[] = {"mov", "xchg", "cmp", "test", "add",     "sub",    "and", "or",
                                                  "xor", "inc",  "dec", "xadd", "cmpxchg", "movnti", "lea", "neg",
                                                  "not", "shl",  "shr", "sal",  "sar",     "imul"};
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

  // What je, setl, cmova and so on ask of the flags, as 0 or 1; -1 when there is no such condition. The carry of a
  // comparison is that of x86: something was borrowed.
  static int Condition(ThreadBuilder& thread, std::string_view name) {
    bool negated = name.size() > 1 && name[0] == 'n';
    std::string_view positive = negated ? name.substr(1) : name;
    auto is = [&](Flag flag) { return FlagIs(thread, flag); };
    auto either = [&](int a, int b) { return thread.Binary(Op::kOr, a, b); };
    auto result = [&](int value, bool invert) { return invert ? thread.Unary(Op::kNot, value) : value; };
    if (positive == "e" || positive == "z") return result(is(Flag::kZero), negated);
    if (positive == "s") return result(is(Flag::kNegative), negated);
    if (positive == "o") return result(is(Flag::kOverflow), negated);
    if (positive == "c" || positive == "b") return result(is(Flag::kCarry), negated);
    if (positive == "ae") return result(is(Flag::kCarry), !negated);
    if (positive == "be") return result(either(is(Flag::kCarry), is(Flag::kZero)), negated);
    if (positive == "a") return result(either(is(Flag::kCarry), is(Flag::kZero)), !negated);
    if (positive == "l") return result(LessBySign(thread), negated);
    if (positive == "ge") return result(LessBySign(thread), !negated);
    if (positive == "le") return result(either(is(Flag::kZero), LessBySign(thread)), negated);
    if (positive == "g") return result(either(is(Flag::kZero), LessBySign(thread)), !negated);
    return -1;
  }

  Status Jump(Cursor& cursor, ThreadBuilder& thread, const std::string& op, size_t begin) {
    std::string label(cursor.Word());
    int condition = op == "jmp" ? -1 : Condition(thread, std::string_view(op).substr(1));
    if (op != "jmp" && condition < 0) {
      return cursor.WrongAt(begin, cursor.at(), "unknown instruction `" + op + "`");
    }
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
    bool must = cursor.Take("%");
    std::string word(cursor.Word());
    if (word.empty()) return cursor.Wrong("expected an operand, found " + cursor.Shown());
    if (must && FindRegister(word).name.empty()) return cursor.Wrong("unknown register `%" + word + "`");
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

  // [x], [x+4], [rax], [rax+rbx*8]; (%rax), 4(%rax), 0(%rax,%rbx,8), where the third is a factor of the second.
  Result<Operand> Memory(Cursor& cursor, ThreadBuilder& thread, std::string_view close, int64_t offset) {
    Operand operand;
    operand.kind = Operand::Kind::kMemory;
    std::vector<int> terms;
    if (offset != 0) terms.push_back(thread.Const(offset));
    auto scale = [&](int64_t factor) {
      if (factor != 1) terms.back() = thread.Binary(Op::kMul, terms.back(), thread.Const(factor));
    };
    bool att = close == ")";
    bool index = false;  // whether the last term is the second of (%rax,%rbx,8)
    int place = 0;
    do {
      ++place;
      if (att && cursor.Peek() == ',') continue;  // left out
      bool must = cursor.Take("%");
      if (std::optional<int64_t> number = cursor.Number()) {
        if (!att || place == 1) {
          terms.push_back(thread.Const(*number));
        } else if (index) {
          scale(*number);
        }
        continue;
      }
      index = place == 2;
      std::string word(cursor.Word());
      if (word.empty()) return cursor.Wrong("expected an address, found " + cursor.Shown());
      Register reg = FindRegister(word);
      if (must && reg.name.empty()) return cursor.Wrong("unknown register `%" + word + "`");
      terms.push_back(reg.name.empty() ? thread.AddressOf(word) : Narrow(thread, thread.Reg(reg.name), reg.width));
      if (!att && cursor.Take("*")) {
        std::optional<int64_t> factor = cursor.Number();
        if (!factor) return cursor.Wrong("expected a number, found " + cursor.Shown());
        scale(*factor);
      }
    } while (cursor.Take(att ? "," : "+"));
    if (Status status = cursor.Need(close, "after the address"); !status) return status.error();
    if (terms.empty()) return cursor.Wrong("an address without a register");
    operand.expr = terms[0];
    for (size_t i = 1; i < terms.size(); ++i) operand.expr = thread.Binary(Op::kAdd, operand.expr, terms[i]);
    return operand;
  }

  static int Narrow(ThreadBuilder& thread, int expr, int width) { return ZeroExtended(thread, expr, 8 * width); }

  // A register of 32 bits clears the upper half, one of 8 or 16 keeps what is above it.
  static void Assign(ThreadBuilder& thread, const std::string& reg, int value, int width) {
    value = Narrow(thread, value, width);
    if (width < 4) {
      int64_t mask = width == 1 ? 0xff : 0xffff;
      value = thread.Binary(Op::kOr, thread.Binary(Op::kAnd, thread.Reg(reg), thread.Const(~mask)), value);
    }
    thread.Assign(reg, value);
  }

  static Status Bad(std::string message) { return MakeError(ErrorCode::kBadInput, std::move(message)); }

  static void Load(ThreadBuilder& thread, std::string_view reg, const Operand& memory, int width) {
    bool merges = width < 4 && reg != kMemoryRegister;
    int dst = thread.Register(merges ? kMemoryRegister : reg);
    Instr& load = thread.Emit(Instr::Kind::kLoad);
    load.dst = dst;
    load.addr = memory.expr;
    load.width = width;
    load.zero_extends = true;
    if (merges) Assign(thread, std::string(reg), thread.Reg(kMemoryRegister), width);
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
    Load(thread, kMemoryRegister, operand, width);
    return thread.Reg(kMemoryRegister);
  }

  static Instr& Locked(ThreadBuilder& thread, const Operand& memory, int value, int width) {
    Instr& rmw = thread.Emit(Instr::Kind::kRmw);
    rmw.addr = memory.expr;
    rmw.value = value;
    rmw.amo = true;
    rmw.width = width;
    rmw.zero_extends = true;
    rmw.tags = rmw.write_tags = Tags({TagOf("A"), TagOf("X")});
    return rmw;
  }

  // The flags of an operation whose operands were these; what it gives is `value`. `not` and moves leave them.
  static void SetFlags(ThreadBuilder& thread, Op op, bool keeps_carry, int a, int b, int value, int width) {
    if (op == Op::kComplement) return;
    int bits = 8 * width;
    a = Narrow(thread, a, width);
    int flags = -1;
    if (op == Op::kAdd) {
      flags = FlagsOfSum(thread, a, Narrow(thread, b, width), bits);
    } else if (op == Op::kSub || op == Op::kNeg) {
      int left = op == Op::kNeg ? thread.Const(0) : a;
      int right = op == Op::kNeg ? a : Narrow(thread, b, width);
      int borrow = thread.Binary(Op::kLtU, left, right);
      flags = WithFlag(thread, FlagsOfDifference(thread, left, right, bits), Flag::kCarry, borrow);
    } else {
      flags = FlagsOfResult(thread, value, bits);
      // The last bit that a shift moves out.
      if (op == Op::kShl) flags = WithFlag(thread, flags, Flag::kCarry, LastOut(thread, a, b, bits, true));
      if (op == Op::kShr || op == Op::kSar) {
        flags = WithFlag(thread, flags, Flag::kCarry, LastOut(thread, a, b, bits, false));
      }
    }
    if (keeps_carry) flags = WithFlag(thread, flags, Flag::kCarry, FlagIs(thread, Flag::kCarry));
    thread.Assign(kFlags, flags);
  }

  static int LastOut(ThreadBuilder& thread, int a, int count, int bits, bool left) {
    int at =
        left ? thread.Binary(Op::kSub, thread.Const(bits), count) : thread.Binary(Op::kSub, count, thread.Const(1));
    return BitOf(thread, thread.Binary(Op::kShr, a, at), 0);
  }

  static bool TakesLock(const std::string& name, const std::vector<Operand>& o) {
    static constexpr std::string_view kNames[] = {"add", "sub", "and", "or",   "xor",    "inc",
                                                  "dec", "neg", "not", "xadd", "cmpxchg"};
    if (name == "xchg") return true;
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) && !o.empty() &&
           o[0].kind == Operand::Kind::kMemory;
  }

  Status Build(ThreadBuilder& thread, const std::string& name, std::vector<Operand>& o, bool locked, int width) {
    using Kind = Operand::Kind;
    // It may pass other stores, which x86-TSO does not know.
    if (name == "movnti") return Bad("`movnti` is weaker than the models of x86: not supported");
    if (locked && !TakesLock(name, o)) return Bad("`lock` stands before an instruction that changes memory only");
    if (name == "mov" || name == "lea") {
      if (o.size() != 2) return Bad("`" + name + "` has two operands");
      if (o[0].kind == Kind::kMemory) {
        if (o[1].kind == Kind::kMemory) return Bad("`mov` from memory to memory");
        Store(thread, o[0], o[1].expr, width);
      } else if (o[0].kind != Kind::kRegister) {
        return Bad("the destination is a number");
      } else if (o[1].kind == Kind::kMemory && name != "lea") {
        Load(thread, o[0].reg, o[1], width);
      } else {
        Assign(thread, o[0].reg, o[1].expr, o[0].width);
      }
      return {};
    }
    if (name.starts_with("cmov") || name.starts_with("set")) return Conditional(thread, name, o, width);
    if (name == "xchg") return Exchange(thread, o, width);
    if (name == "cmp" || name == "test") {
      if (o.size() != 2) return Bad("`" + name + "` has two operands");
      int a = Value(thread, o[0], width);
      int b = o[1].kind == Kind::kMemory ? Value(thread, o[1], width) : o[1].expr;
      if (name == "cmp") {
        SetFlags(thread, Op::kSub, false, a, b, -1, width);
      } else {
        SetFlags(thread, Op::kAnd, false, a, b, thread.Binary(Op::kAnd, a, b), width);
      }
      return {};
    }
    if (name == "xadd" || name == "cmpxchg") return TwoWay(thread, name, o, locked, width);
    static const std::map<std::string, Op> kOps = {
        {"add", Op::kAdd}, {"sub", Op::kSub},  {"and", Op::kAnd}, {"or", Op::kOr},         {"xor", Op::kXor},
        {"inc", Op::kAdd}, {"dec", Op::kSub},  {"shl", Op::kShl}, {"sal", Op::kShl},       {"shr", Op::kShr},
        {"sar", Op::kSar}, {"imul", Op::kMul}, {"neg", Op::kNeg}, {"not", Op::kComplement}};
    auto op = kOps.find(name);
    if (op == kOps.end()) return Bad("unknown instruction `" + name + "`");
    bool one = name == "inc" || name == "dec" || name == "neg" || name == "not";
    if (o.size() != (one ? 1U : 2U)) return Bad("`" + name + "` has " + (one ? "one operand" : "two operands"));
    return Arithmetic(thread, op->second, o, one, locked, width);
  }

  static Status Arithmetic(ThreadBuilder& thread, Op op, std::vector<Operand>& o, bool one, bool locked, int width) {
    if (o[0].kind == Operand::Kind::kImmediate) return Bad("the destination is a number");
    bool unary = op == Op::kNeg || op == Op::kComplement;
    bool shift = op == Op::kShl || op == Op::kShr || op == Op::kSar;
    int right = one ? thread.Const(1) : Value(thread, o[1], width);
    if (shift) right = thread.Binary(Op::kAnd, right, thread.Const(width == 8 ? 63 : 31));
    auto apply = [&](int value) {
      if (unary) return thread.Unary(op, value);
      return thread.Binary(op, op == Op::kSar ? SignExtended(thread, value, width) : value, right);
    };
    // inc and dec keep the carry.
    auto flags = [&](int old) { SetFlags(thread, op, one && !unary, old, right, apply(old), width); };
    if (o[0].kind == Operand::Kind::kRegister) {
      flags(o[0].expr);
      Assign(thread, o[0].reg, apply(o[0].expr), o[0].width);
      return {};
    }
    if (locked) {
      int old = thread.Register(kMemoryRegister);
      Locked(thread, o[0], Narrow(thread, apply(thread.Old()), width), width).dst = old;
      flags(Narrow(thread, thread.Reg(kMemoryRegister), width));
      return {};
    }
    Load(thread, kMemoryRegister, o[0], width);
    Store(thread, o[0], Narrow(thread, apply(thread.Reg(kMemoryRegister)), width), width);
    flags(thread.Reg(kMemoryRegister));
    return {};
  }

  static int SignExtended(ThreadBuilder& thread, int value, int width) {
    int shift = thread.Const(64 - 8 * width);
    return width == 8 ? value : thread.Binary(Op::kSar, thread.Binary(Op::kShl, value, shift), shift);
  }

  // cmovCC and setCC.
  static Status Conditional(ThreadBuilder& thread, const std::string& name, std::vector<Operand>& o, int width) {
    bool move = name[0] == 'c';
    int test = Condition(thread, std::string_view(name).substr(move ? 4 : 3));
    if (test < 0) return Bad("unknown instruction `" + name + "`");
    if (o.size() != (move ? 2U : 1U)) return Bad("`" + name + "` has " + (move ? "two operands" : "one operand"));
    if (!move && o[0].kind == Operand::Kind::kMemory) {
      Store(thread, o[0], test, 1);
      return {};
    }
    if (o[0].kind != Operand::Kind::kRegister) return Bad("the destination is not a register");
    if (!move) {
      Assign(thread, o[0].reg, test, 1);
      return {};
    }
    int value = Value(thread, o[1], width);
    Assign(thread, o[0].reg, thread.Add({Op::kSelect, test, value, o[0].expr}), o[0].width);
    return {};
  }

  static Status Exchange(ThreadBuilder& thread, std::vector<Operand>& o, int width) {
    if (o.size() != 2) return Bad("`xchg` has two operands");
    if (o[0].kind == Operand::Kind::kRegister && o[1].kind == Operand::Kind::kRegister) {
      thread.Assign(kMemoryRegister, o[0].expr);
      Assign(thread, o[0].reg, o[1].expr, width);
      Assign(thread, o[1].reg, thread.Reg(kMemoryRegister), width);
      return {};
    }
    const Operand& memory = o[0].kind == Operand::Kind::kMemory ? o[0] : o[1];
    const Operand& reg = o[0].kind == Operand::Kind::kMemory ? o[1] : o[0];
    if (memory.kind != Operand::Kind::kMemory || reg.kind != Operand::Kind::kRegister) {
      return Bad("`xchg` needs a register and memory");
    }
    int dst = thread.Register(width < 4 ? kMemoryRegister : std::string_view(reg.reg));
    Locked(thread, memory, reg.expr, width).dst = dst;
    if (width < 4) Assign(thread, reg.reg, thread.Reg(kMemoryRegister), width);
    return {};
  }

  static Status TwoWay(ThreadBuilder& thread, const std::string& name, std::vector<Operand>& o, bool locked,
                       int width) {
    if (o.size() != 2 || o[0].kind != Operand::Kind::kMemory || o[1].kind != Operand::Kind::kRegister) {
      return Bad("`" + name + "` needs memory and a register");
    }
    if (!locked) return Bad("`" + name + "` without lock is not atomic: write `lock " + name + "`");
    int old = thread.Register(kMemoryRegister);
    if (name == "xadd") {
      Locked(thread, o[0], Narrow(thread, thread.Binary(Op::kAdd, thread.Old(), o[1].expr), width), width).dst = old;
      SetFlags(thread, Op::kAdd, false, thread.Reg(kMemoryRegister), o[1].expr, -1, width);
      Assign(thread, o[1].reg, thread.Reg(kMemoryRegister), width);
      return {};
    }
    // RAX is compared; when it differs it gets the value that was there. Both halves are locked even when nothing is
    // exchanged.
    int expected = Narrow(thread, thread.Reg("RAX"), width);
    Instr& rmw = Locked(thread, o[0], o[1].expr, width);
    rmw.dst = old;
    rmw.expect = expected;
    rmw.fail_tags = rmw.tags;
    SetFlags(thread, Op::kSub, false, thread.Reg("RAX"), thread.Reg(kMemoryRegister), -1, width);
    // Of 64 bits, the upper half is cleared only when the comparison failed.
    int got = Narrow(thread, thread.Reg(kMemoryRegister), width);
    int kept = width == 4 ? thread.Add({Op::kSelect, FlagIs(thread, Flag::kZero), thread.Reg("RAX"), got}) : got;
    Assign(thread, "RAX", kept, width == 4 ? 8 : width);
    return {};
  }

  bool wide_;
};

}  // namespace

std::unique_ptr<InstructionParser> MakeX86Parser(Arch arch) { return std::make_unique<X86Parser>(arch); }

}  // namespace heddle::litmus
