#include <algorithm>
#include <cctype>
#include <map>

#include "litmus/syntax/parse_impl.h"

// AArch64. Loads and stores of all orders and their exclusive forms, the single-instruction atomics (SWP, CAS, LDADD
// and its kin with A, L, AL), DMB, DSB and ISB with their options, arithmetic, comparisons and branches.
namespace heddle::litmus {
namespace {

constexpr std::string_view kLeft = "%left";
constexpr std::string_view kRight = "%right";
constexpr std::string_view kBase = "%base";

std::string Upper(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

// X3 and W3 are register X3; the zero registers are XZR.
std::string Canonical(std::string_view word) {
  std::string w = Upper(word);
  if (w == "XZR" || w == "WZR") return "XZR";
  if (w == "SP") return "SP";
  if (w.size() < 2 || (w[0] != 'X' && w[0] != 'W')) return "";
  if (!std::all_of(w.begin() + 1, w.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) return "";
  return "X" + w.substr(1);
}

bool IsWord(std::string_view reg) { return reg[0] == 'W' || reg[0] == 'w'; }

class AArch64Parser : public InstructionParser {
 public:
  std::string RegisterName(std::string_view word) const override { return Canonical(word); }

  Status Parse(Cursor& cursor, ThreadBuilder& thread) override {
    begin_ = cursor.at();
    std::string op = Upper(cursor.DottedWord());
    if (op.empty()) return cursor.Wrong("expected an instruction, found " + cursor.Shown());
    for (std::string_view hint : {"NOP", "YIELD", "WFE", "WFI", "SEV", "SEVL"}) {
      if (op == hint) return {};
    }
    if (op == "HINT") return Immediate(cursor) ? Status() : cursor.Wrong("expected a number, found " + cursor.Shown());
    if (op == "PRFM") return Prefetch(cursor, thread);
    if (op == "RET") {
      thread.Branch(-1, kEndLabel);
      return {};
    }
    if (op == "ISB" || op == "DMB" || op == "DSB") return Fence(cursor, thread, op);
    if (op == "B" || op.starts_with("B.") || op == "CBZ" || op == "CBNZ" || op == "TBZ" || op == "TBNZ" ||
        (op.size() == 3 && op[0] == 'B' && Conditions().contains(op.substr(1)))) {
      return Branch(cursor, thread, op);
    }
    if (op == "LDP" || op == "STP" || op == "LDNP" || op == "STNP") return Pair(cursor, thread, op[0] == 'L');
    if (op == "LDXP" || op == "STXP" || op == "LDAXP" || op == "STLXP" || op.starts_with("CASP")) {
      return cursor.WrongAt(begin_, cursor.at(), "pairs of registers are not supported: `" + op + "`");
    }
    if (Result<bool> done = Atomic(cursor, thread, op); !done || *done) return done ? Status() : Status(done.error());
    if (Result<bool> done = Memory(cursor, thread, op); !done || *done) return done ? Status() : Status(done.error());
    return Arithmetic(cursor, thread, op);
  }

 private:
  struct Reg {
    std::string name;
    bool word = false;
  };

  static const std::map<std::string, Op>& Conditions() {
    static const std::map<std::string, Op> map = {
        {"EQ", Op::kEq},  {"NE", Op::kNe},  {"GE", Op::kGe},  {"LT", Op::kLt},  {"GT", Op::kGt},
        {"LE", Op::kLe},  {"HI", Op::kGtU}, {"LS", Op::kLeU}, {"HS", Op::kGeU}, {"CS", Op::kGeU},
        {"LO", Op::kLtU}, {"CC", Op::kLtU}, {"MI", Op::kLt},  {"PL", Op::kGe}};
    return map;
  }

  Result<Reg> Register(Cursor& cursor) {
    cursor.Skip();
    size_t begin = cursor.at();
    std::string word(cursor.Word());
    std::string name = Canonical(word);
    if (name.empty())
      return cursor.WrongAt(begin, std::max(begin + 1, cursor.at()), "expected a register, found `" + word + "`");
    return Reg{name, IsWord(word)};
  }

  static int Value(ThreadBuilder& thread, const Reg& reg) {
    if (reg.name == "XZR") return thread.Const(0);
    int expr = thread.Reg(reg.name);
    return reg.word ? thread.Unary(Op::kZext32, expr) : expr;
  }

  static int Destination(ThreadBuilder& thread, const Reg& reg) {
    return reg.name == "XZR" ? -1 : thread.Register(reg.name);
  }

  static void Assign(ThreadBuilder& thread, const Reg& reg, int value) {
    if (reg.name == "XZR") return;
    thread.Assign(reg.name, reg.word ? thread.Unary(Op::kZext32, value) : value);
  }

  Status Comma(Cursor& cursor) { return cursor.Need(",", "between operands"); }

  // [X1], [X1,#4], [X1,X2], [X1,W2,SXTW], [X1,W2,UXTW #2], [X1,X2,LSL #2]; [X1,#4]! and [X1],#4 change the base, which
  // `Writeback` does after the access.
  Result<int> Address(Cursor& cursor, ThreadBuilder& thread) {
    base_.clear();
    if (Status status = cursor.Need("[", "before the address"); !status) return status.error();
    Result<Reg> base = Register(cursor);
    if (!base) return base.error();
    int address = Value(thread, *base);
    if (cursor.Take(",")) {
      if (cursor.Peek() == '#' || std::isdigit(static_cast<unsigned char>(cursor.Peek())) != 0 ||
          cursor.Peek() == '-') {
        Result<int64_t> offset = Immediate(cursor);
        if (!offset) return offset.error();
        if (*offset != 0) address = thread.Binary(Op::kAdd, address, thread.Const(*offset));
      } else {
        Result<Reg> index = Register(cursor);
        if (!index) return index.error();
        Result<int> value = Extended(cursor, thread, Value(thread, *index));
        if (!value) return value;
        address = thread.Binary(Op::kAdd, address, *value);
      }
    }
    if (Status status = cursor.Need("]", "after the address"); !status) return status.error();
    if (cursor.Take("!")) {
      base_ = base->name;
      new_base_ = address;
    } else if (cursor.Take(",")) {
      Result<int64_t> offset = Immediate(cursor);
      if (!offset) return offset.error();
      base_ = base->name;
      new_base_ = thread.Binary(Op::kAdd, address, thread.Const(*offset));
    }
    return address;
  }

  // The base is changed after the access, but computed from what it was before.
  void Writeback(ThreadBuilder& thread) {
    if (!base_.empty() && base_ != "XZR") thread.Assign(base_, new_base_);
  }

  Status Prefetch(Cursor& cursor, ThreadBuilder& thread) {
    cursor.Word();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> address = Address(cursor, thread);
    return address ? Status() : Status(address.error());
  }

  // Two accesses; nothing orders them but what orders any two.
  Status Pair(Cursor& cursor, ThreadBuilder& thread, bool load) {
    Result<Reg> first = Register(cursor);
    if (!first) return first.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<Reg> second = Register(cursor);
    if (!second) return second.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> address = Address(cursor, thread);
    if (!address) return address.error();
    // The base may be one of the registers that are loaded.
    thread.Assign(kBase, *address);
    int width = first->word ? 4 : 8;
    for (int half = 0; half < 2; ++half) {
      const Reg& reg = half == 0 ? *first : *second;
      int at = thread.Binary(Op::kAdd, thread.Reg(kBase), thread.Const(half * width));
      int value = load ? -1 : Value(thread, reg);
      int dst = load ? Destination(thread, reg) : -1;
      Instr& instr = thread.Emit(load ? Instr::Kind::kLoad : Instr::Kind::kStore);
      instr.addr = at;
      instr.value = value;
      instr.dst = dst;
      instr.width = width;
    }
    Writeback(thread);
    return {};
  }

  // What a narrow access stores.
  static int Narrow(ThreadBuilder& thread, int value, int width) {
    if (width == 1) return thread.Unary(Op::kZext8, value);
    return width == 2 ? thread.Unary(Op::kZext16, value) : value;
  }

  static int SignExtended(ThreadBuilder& thread, int value, int bits) {
    int shift = 64 - bits;
    return thread.Binary(Op::kSar, thread.Binary(Op::kShl, value, thread.Const(shift)), thread.Const(shift));
  }

  // ", LSL #2", ", SXTW" after a register.
  Result<int> Extended(Cursor& cursor, ThreadBuilder& thread, int value) {
    if (!cursor.Take(",")) return value;
    std::string how = Upper(cursor.Word());
    if (how == "SXTW") value = thread.Unary(Op::kSext32, value);
    if (how == "UXTW") value = thread.Unary(Op::kZext32, value);
    static const std::map<std::string, Op> kShifts = {{"LSL", Op::kShl},  {"LSR", Op::kShr},  {"ASR", Op::kSar},
                                                      {"SXTW", Op::kShl}, {"UXTW", Op::kShl}, {"SXTX", Op::kShl},
                                                      {"UXTX", Op::kShl}};
    auto shift = kShifts.find(how);
    if (shift == kShifts.end()) return cursor.Wrong("expected LSL, LSR, ASR, SXTW or UXTW, found `" + how + "`");
    char next = cursor.Peek();
    if (next == '#' || std::isdigit(static_cast<unsigned char>(next)) != 0) {
      Result<int64_t> amount = Immediate(cursor);
      if (!amount) return amount.error();
      if (*amount != 0) value = thread.Binary(shift->second, value, thread.Const(*amount));
    }
    return value;
  }

  Result<int64_t> Immediate(Cursor& cursor) {
    cursor.Take("#");
    std::optional<int64_t> number = cursor.Number();
    if (!number) return cursor.Wrong("expected a number, found " + cursor.Shown());
    return *number;
  }

  // Only the last operand may be shifted.
  Result<int> Operand(Cursor& cursor, ThreadBuilder& thread, bool last) {
    char next = cursor.Peek();
    if (next == '#' || next == '-' || std::isdigit(static_cast<unsigned char>(next)) != 0) {
      Result<int64_t> number = Immediate(cursor);
      if (!number) return number.error();
      return last ? Extended(cursor, thread, thread.Const(*number)) : thread.Const(*number);
    }
    std::string_view word = cursor.PeekWord();
    if (Canonical(word).empty() && !word.empty()) {  // the address of a location, as ADR takes it
      return thread.AddressOf(cursor.Word());
    }
    Result<Reg> reg = Register(cursor);
    if (!reg) return reg.error();
    return last ? Extended(cursor, thread, Value(thread, *reg)) : Value(thread, *reg);
  }

  Status Fence(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    std::string option = op == "ISB" ? Upper(cursor.PeekWord()) : Upper(cursor.Word());
    if (op == "ISB") {
      if (option == "SY") cursor.Word();
      thread.Emit(Instr::Kind::kFence).tags.set(TagOf("ISB"));
      return {};
    }
    if (option.empty()) option = "SY";
    std::optional<Tag> tag = FindTag(op + "." + option);
    if (!tag) return cursor.WrongAt(begin_, cursor.at(), "unknown option `" + option + "` of " + op);
    thread.Emit(Instr::Kind::kFence).tags.set(*tag);
    return {};
  }

  Status Branch(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    if (op == "B") {
      thread.Branch(-1, cursor.Word());
      return {};
    }
    if (op[0] == 'B') {
      auto condition = Conditions().find(op.substr(op[1] == '.' ? 2 : 1));
      if (condition == Conditions().end())
        return cursor.WrongAt(begin_, cursor.at(), "unknown condition in `" + op + "`");
      int test = thread.Binary(condition->second, thread.Reg(kLeft), thread.Reg(kRight));
      thread.Branch(test, cursor.Word());
      return {};
    }
    Result<Reg> reg = Register(cursor);
    if (!reg) return reg.error();
    if (Status status = Comma(cursor); !status) return status;
    int value = Value(thread, *reg);
    if (op[0] == 'T') {
      Result<int64_t> bit = Immediate(cursor);
      if (!bit) return bit.error();
      if (Status status = Comma(cursor); !status) return status;
      value = thread.Binary(Op::kAnd, thread.Binary(Op::kShr, value, thread.Const(*bit)), thread.Const(1));
    }
    bool zero = op == "CBZ" || op == "TBZ";
    thread.Branch(thread.Binary(zero ? Op::kEq : Op::kNe, value, thread.Const(0)), cursor.Word());
    return {};
  }

  struct Form {
    bool load = false;
    bool exclusive = false;
    TagSet tags;
    int width = 0;        // 0: that of the register
    bool extend = false;  // LDRSB: the sign is extended
  };

  static const std::map<std::string, Form>& Forms() {
    static const std::map<std::string, Form> map = [] {
      std::map<std::string, Form> forms;
      TagSet none;
      TagSet a = Tags({TagOf("A")});
      TagSet q = Tags({TagOf("Q")});
      TagSet l = Tags({TagOf("L")});
      TagSet x = Tags({TagOf("X"), TagOf("EX")});
      struct Row {
        const char* name;
        bool load;
        bool exclusive;
        TagSet tags;
      };
      const Row rows[] = {{"LDR", true, false, none},    {"LDUR", true, false, none}, {"LDAR", true, false, a},
                          {"LDAPR", true, false, q},     {"LDAPUR", true, false, q},  {"LDXR", true, true, x},
                          {"LDAXR", true, true, x | a},  {"STR", false, false, none}, {"STUR", false, false, none},
                          {"STLR", false, false, l},     {"STLUR", false, false, l},  {"STXR", false, true, x},
                          {"STLXR", false, true, x | l}, {"LDTR", true, false, none}, {"STTR", false, false, none}};
      for (const Row& row : rows) {
        forms[row.name] = {row.load, row.exclusive, row.tags, 0};
        forms[std::string(row.name) + "B"] = {row.load, row.exclusive, row.tags, 1};
        forms[std::string(row.name) + "H"] = {row.load, row.exclusive, row.tags, 2};
      }
      for (const char* name : {"LDR", "LDUR", "LDTR"}) {
        forms[std::string(name) + "SB"] = {true, false, none, 1, true};
        forms[std::string(name) + "SH"] = {true, false, none, 2, true};
        forms[std::string(name) + "SW"] = {true, false, none, 4, true};
      }
      return forms;
    }();
    return map;
  }

  Result<bool> Memory(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    auto found = Forms().find(op);
    if (found == Forms().end()) return false;
    const Form& form = found->second;
    int status_reg = -1;
    if (form.exclusive && !form.load) {
      Result<Reg> status = Register(cursor);
      if (!status) return status.error();
      status_reg = Destination(thread, *status);
      if (Status comma = Comma(cursor); !comma) return comma.error();
    }
    Result<Reg> reg = Register(cursor);
    if (!reg) return reg.error();
    if (Status comma = Comma(cursor); !comma) return comma.error();
    Result<int> address = Address(cursor, thread);
    if (!address) return address.error();
    int value = form.load ? -1 : Narrow(thread, Value(thread, *reg), form.width);
    int dst = form.load ? Destination(thread, *reg) : -1;
    Instr& instr = thread.Emit(form.load ? Instr::Kind::kLoad : Instr::Kind::kStore);
    instr.dst = dst;
    instr.value = value;
    instr.addr = *address;
    instr.tags = form.tags;
    instr.reserve = form.exclusive && form.load;
    instr.conditional = form.exclusive && !form.load;
    instr.status = status_reg;
    instr.width = form.width != 0 ? form.width : reg->word ? 4 : 8;
    if (form.extend) Assign(thread, *reg, SignExtended(thread, Value(thread, {reg->name, false}), form.width * 8));
    Writeback(thread);
    return true;
  }

  // SWP, CAS, LDADD ... with suffixes: A, L, AL, then B or H. STADD and its kin give nothing back.
  Result<bool> Atomic(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    struct Kind {
      std::string_view name;
      Op op;
    };
    static constexpr Kind kKinds[] = {{"SWP", Op::kOld},          {"CAS", Op::kEq},      {"LDADD", Op::kAdd},
                                      {"LDCLR", Op::kComplement}, {"LDEOR", Op::kXor},   {"LDSET", Op::kOr},
                                      {"LDSMAX", Op::kMax},       {"LDSMIN", Op::kMin},  {"LDUMAX", Op::kMaxU},
                                      {"LDUMIN", Op::kMinU},      {"STADD", Op::kAdd},   {"STCLR", Op::kComplement},
                                      {"STEOR", Op::kXor},        {"STSET", Op::kOr},    {"STSMAX", Op::kMax},
                                      {"STSMIN", Op::kMin},       {"STUMAX", Op::kMaxU}, {"STUMIN", Op::kMinU}};
    for (const Kind& kind : kKinds) {
      if (!op.starts_with(kind.name)) continue;
      std::string suffix = op.substr(kind.name.size());
      int width = 0;
      if (!suffix.empty() && suffix.back() == 'B') width = 1;
      if (!suffix.empty() && suffix.back() == 'H') width = 2;
      if (width != 0) suffix.pop_back();
      if (suffix != "" && suffix != "A" && suffix != "L" && suffix != "AL") continue;
      bool returns = !kind.name.starts_with("ST");
      return Rmw(cursor, thread, kind.op, suffix, width, returns);
    }
    return false;
  }

  Result<bool> Rmw(Cursor& cursor, ThreadBuilder& thread, Op op, const std::string& suffix, int width, bool returns) {
    Result<Reg> first = Register(cursor);
    if (!first) return first.error();
    Reg second{"XZR", first->word};
    if (returns) {
      if (Status comma = Comma(cursor); !comma) return comma.error();
      Result<Reg> reg = Register(cursor);
      if (!reg) return reg.error();
      second = *reg;
    }
    if (Status comma = Comma(cursor); !comma) return comma.error();
    Result<int> address = Address(cursor, thread);
    if (!address) return address.error();
    bool cas = op == Op::kEq;
    int given = Value(thread, *first);
    int value = cas ? Value(thread, second) : NewValue(thread, op, given);
    if (first->word) value = thread.Unary(Op::kZext32, value);
    value = Narrow(thread, value, width);
    const Reg& destination = cas ? *first : second;
    int dst = Destination(thread, destination);
    Instr& rmw = thread.Emit(Instr::Kind::kRmw);
    rmw.dst = dst;
    rmw.addr = *address;
    rmw.value = value;
    rmw.expect = cas ? given : -1;
    rmw.amo = true;
    rmw.width = width != 0 ? width : first->word ? 4 : 8;
    rmw.tags.set(TagOf("X"));
    rmw.write_tags.set(TagOf("X"));
    // Acquire is lost when the value goes to the zero register (except for CAS and SWP).
    bool keeps = cas || op == Op::kOld || destination.name != "XZR";
    if (suffix.starts_with("A") && keeps) rmw.tags.set(TagOf("A"));
    if (!keeps) rmw.tags.set(TagOf("NoRet"));
    if (suffix == "L" || suffix == "AL") rmw.write_tags.set(TagOf("L"));
    rmw.fail_tags = rmw.tags;
    Writeback(thread);
    return true;
  }

  static int NewValue(ThreadBuilder& thread, Op op, int given) {
    if (op == Op::kOld) return given;
    if (op == Op::kComplement) return thread.Binary(Op::kAnd, thread.Old(), thread.Unary(Op::kComplement, given));
    return thread.Binary(op, thread.Old(), given);
  }

  Status Arithmetic(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    if (Result<bool> done = Bits(cursor, thread, op); !done || *done) return done ? Status() : Status(done.error());
    if (Result<bool> done = Select(cursor, thread, op); !done || *done) return done ? Status() : Status(done.error());
    static const std::map<std::string, Op> kOps = {
        {"ORN", Op::kOr},   {"EON", Op::kXor},  {"BIC", Op::kAnd}, {"UDIV", Op::kDiv}, {"SDIV", Op::kDiv},
        {"BICS", Op::kAnd}, {"ADD", Op::kAdd},  {"SUB", Op::kSub}, {"AND", Op::kAnd},  {"ORR", Op::kOr},
        {"EOR", Op::kXor},  {"LSL", Op::kShl},  {"LSR", Op::kShr}, {"ASR", Op::kSar},  {"MUL", Op::kMul},
        {"ADDS", Op::kAdd}, {"SUBS", Op::kSub}, {"ANDS", Op::kAnd}};
    auto found = kOps.find(op);
    bool move = op == "MOV" || op == "MOVZ" || op == "UXTW" || op == "SXTW" || op == "ADR" || op == "MVN" ||
                op == "UXTB" || op == "UXTH" || op == "NEG" || op == "MOVN" || op == "SXTB" || op == "SXTH";
    bool compare = op == "CMP" || op == "TST" || op == "CMN";
    if (found == kOps.end() && !move && !compare) {
      return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op + "`");
    }
    Result<Reg> dst = Register(cursor);
    if (!dst) return dst.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> first = Operand(cursor, thread, move || compare);
    if (!first) return first.error();
    if (move) {
      int value = *first;
      if (op == "SXTW") value = thread.Unary(Op::kSext32, value);
      if (op == "UXTW") value = thread.Unary(Op::kZext32, value);
      if (op == "UXTB") value = thread.Unary(Op::kZext8, value);
      if (op == "UXTH") value = thread.Unary(Op::kZext16, value);
      if (op == "SXTB") value = SignExtended(thread, value, 8);
      if (op == "SXTH") value = SignExtended(thread, value, 16);
      if (op == "NEG") value = thread.Unary(Op::kNeg, value);
      if (op == "MVN" || op == "MOVN") value = thread.Unary(Op::kComplement, value);
      Assign(thread, *dst, value);
      return {};
    }
    if (compare) {
      int left = Value(thread, *dst);
      bool test = op == "TST";
      int right = op == "CMN" ? thread.Unary(Op::kNeg, *first) : *first;
      if (dst->word && !test) {
        left = thread.Unary(Op::kSext32, left);
        right = thread.Unary(Op::kSext32, right);
      }
      thread.Assign(kLeft, test ? thread.Binary(Op::kAnd, left, right) : left);
      thread.Assign(kRight, test ? thread.Const(0) : right);
      return {};
    }
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> given = Operand(cursor, thread, true);
    if (!given) return given.error();
    int left = *first;
    int right = *given;
    if (op == "ORN" || op == "EON" || op.starts_with("BIC")) right = thread.Unary(Op::kComplement, right);
    if (op == "SDIV" && dst->word) {
      left = thread.Unary(Op::kSext32, left);
      right = thread.Unary(Op::kSext32, right);
    }
    int value = thread.Binary(found->second, left, right);
    if (op == "SUBS") {
      thread.Assign(kLeft, dst->word ? thread.Unary(Op::kSext32, left) : left);
      thread.Assign(kRight, dst->word ? thread.Unary(Op::kSext32, right) : right);
    } else if (op.ends_with("S") && op.size() == 4) {
      thread.Assign(kLeft, value);
      thread.Assign(kRight, thread.Const(0));
    }
    Assign(thread, *dst, value);
    return {};
  }

  // CSEL and its kin: one of two values, by the last comparison.
  Result<bool> Select(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    struct Kind {
      std::string_view name;
      int registers;  // 0: constants, 1: one register, changed when the condition holds
      Op change;      // of the value that is taken when it does not hold
    };
    static constexpr Kind kKinds[] = {
        {"CSEL", 2, Op::kReg},  {"CSINC", 2, Op::kAdd},       {"CSINV", 2, Op::kComplement},
        {"CSNEG", 2, Op::kNeg}, {"CSET", 0, Op::kReg},        {"CSETM", 0, Op::kComplement},
        {"CINC", 1, Op::kAdd},  {"CINV", 1, Op::kComplement}, {"CNEG", 1, Op::kNeg}};
    auto kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.name == op; });
    if (kind == std::end(kKinds)) return false;
    Result<Reg> dst = Register(cursor);
    if (!dst) return dst.error();
    int values[2] = {thread.Const(kind->change == Op::kComplement ? -1 : 1), thread.Const(0)};
    for (int i = 0; i < kind->registers; ++i) {
      if (Status comma = Comma(cursor); !comma) return comma.error();
      Result<Reg> reg = Register(cursor);
      if (!reg) return reg.error();
      values[i] = Value(thread, *reg);
    }
    if (kind->registers == 1) values[1] = values[0];
    if (Status comma = Comma(cursor); !comma) return comma.error();
    auto condition = Conditions().find(Upper(cursor.Word()));
    if (condition == Conditions().end()) return cursor.Wrong("unknown condition");
    int test = thread.Binary(condition->second, thread.Reg(kLeft), thread.Reg(kRight));
    if (kind->registers > 0) {
      int& changed = values[kind->registers == 1 ? 0 : 1];
      if (kind->change == Op::kAdd) changed = thread.Binary(Op::kAdd, changed, thread.Const(1));
      if (kind->change == Op::kNeg || kind->change == Op::kComplement) changed = thread.Unary(kind->change, changed);
    }
    Assign(thread, *dst, thread.Add({Op::kSelect, test, values[0], values[1]}));
    return true;
  }

  // Bit fields, MOVK, ROR, MADD and MSUB.
  Result<bool> Bits(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    bool field = op == "UBFM" || op == "SBFM" || op == "UBFX" || op == "SBFX";
    bool sum = op == "MADD" || op == "MSUB";
    if (!field && !sum && op != "MOVK" && op != "ROR") return false;
    Result<Reg> dst = Register(cursor);
    if (!dst) return dst.error();
    if (Status comma = Comma(cursor); !comma) return comma.error();
    int bits = dst->word ? 32 : 64;
    if (op == "MOVK") {
      Result<int64_t> number = Immediate(cursor);
      if (!number) return number.error();
      int64_t shift = 0;
      if (cursor.Take(",")) {
        if (Upper(cursor.Word()) != "LSL") return cursor.Wrong("expected LSL");
        Result<int64_t> amount = Immediate(cursor);
        if (!amount) return amount.error();
        shift = *amount & 48;
      }
      int64_t mask = static_cast<int64_t>(uint64_t{0xffff} << shift);
      int kept = thread.Binary(Op::kAnd, Value(thread, *dst), thread.Const(~mask));
      int put = thread.Const(static_cast<int64_t>(static_cast<uint64_t>(*number) << shift) & mask);
      Assign(thread, *dst, thread.Binary(Op::kOr, kept, put));
      return true;
    }
    Result<Reg> source = Register(cursor);
    if (!source) return source.error();
    int value = Value(thread, *source);
    std::vector<int> operands;
    std::vector<int64_t> numbers;
    while (cursor.Take(",")) {
      if (cursor.Peek() == '#') {
        Result<int64_t> number = Immediate(cursor);
        if (!number) return number.error();
        numbers.push_back(*number);
        continue;
      }
      Result<Reg> reg = Register(cursor);
      if (!reg) return reg.error();
      operands.push_back(Value(thread, *reg));
    }
    size_t wanted = op == "ROR" ? 1 : 2;
    if ((sum ? operands : std::vector<int>(numbers.size())).size() != wanted) {
      return cursor.WrongAt(begin_, cursor.at(), "`" + op + "` needs " + std::to_string(wanted) + " more operands");
    }
    if (sum) {
      int product = thread.Binary(Op::kMul, value, operands[0]);
      Assign(thread, *dst, thread.Binary(op == "MADD" ? Op::kAdd : Op::kSub, operands[1], product));
      return true;
    }
    if (op == "ROR") {
      int64_t amount = numbers[0] & (bits - 1);
      int low = thread.Binary(Op::kShr, value, thread.Const(amount));
      int high = amount == 0 ? thread.Const(0) : thread.Binary(Op::kShl, value, thread.Const(bits - amount));
      Assign(thread, *dst, thread.Binary(Op::kOr, low, high));
      return true;
    }
    // From bit `from`, `width` bits, to bit `to`.
    int64_t from = numbers[0];
    int64_t width = op.ends_with("X") ? numbers[1] : numbers[1] - numbers[0] + 1;
    int64_t to = 0;
    if (op.ends_with("M") && numbers[1] < numbers[0]) {
      from = 0;
      width = numbers[1] + 1;
      to = bits - numbers[0];
    }
    if (from < 0 || width < 1 || from + width > bits || to < 0) {
      return cursor.WrongAt(begin_, cursor.at(), "a field of bits that the register does not have");
    }
    value = thread.Binary(Op::kShl, value, thread.Const(64 - width - from));
    value = thread.Binary(op[0] == 'S' ? Op::kSar : Op::kShr, value, thread.Const(64 - width));
    if (to != 0) value = thread.Binary(Op::kShl, value, thread.Const(to));
    Assign(thread, *dst, value);
    return true;
  }

  size_t begin_ = 0;
  std::string base_;  // register that the last address changes, empty: none
  int new_base_ = -1;
};

}  // namespace

std::unique_ptr<InstructionParser> MakeAArch64Parser() { return std::make_unique<AArch64Parser>(); }

}  // namespace heddle::litmus
