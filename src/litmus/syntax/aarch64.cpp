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
    if (op == "NOP" || op == "RET") return {};
    if (op == "ISB" || op == "DMB" || op == "DSB") return Fence(cursor, thread, op);
    if (op == "B" || op.starts_with("B.") || op == "CBZ" || op == "CBNZ" || op == "TBZ" || op == "TBNZ" ||
        (op.size() == 3 && op[0] == 'B' && Conditions().contains(op.substr(1)))) {
      return Branch(cursor, thread, op);
    }
    if (op == "LDP" || op == "STP" || op == "LDXP" || op == "STXP" || op == "LDNP") {
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

  // [X1], [X1,#4], [X1,X2], [X1,W2,SXTW], [X1,W2,UXTW #2], [X1,X2,LSL #2].
  Result<int> Address(Cursor& cursor, ThreadBuilder& thread) {
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
    cursor.Take("!");
    return address;
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
    int width = 0;  // 0: that of the register
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
      const Row rows[] = {{"LDR", true, false, none},   {"LDUR", true, false, none}, {"LDAR", true, false, a},
                          {"LDAPR", true, false, q},    {"LDAPUR", true, false, q},  {"LDXR", true, true, x},
                          {"LDAXR", true, true, x | a}, {"STR", false, false, none}, {"STUR", false, false, none},
                          {"STLR", false, false, l},    {"STLUR", false, false, l},  {"STXR", false, true, x},
                          {"STLXR", false, true, x | l}};
      for (const Row& row : rows) {
        forms[row.name] = {row.load, row.exclusive, row.tags, 0};
        forms[std::string(row.name) + "B"] = {row.load, row.exclusive, row.tags, 1};
        forms[std::string(row.name) + "H"] = {row.load, row.exclusive, row.tags, 2};
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
    int value = form.load ? -1 : Value(thread, *reg);
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
    return true;
  }

  static int NewValue(ThreadBuilder& thread, Op op, int given) {
    if (op == Op::kOld) return given;
    if (op == Op::kComplement) return thread.Binary(Op::kAnd, thread.Old(), thread.Unary(Op::kComplement, given));
    return thread.Binary(op, thread.Old(), given);
  }

  Status Arithmetic(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
    static const std::map<std::string, Op> kOps = {{"ADD", Op::kAdd},  {"SUB", Op::kSub},  {"AND", Op::kAnd},
                                                   {"ORR", Op::kOr},   {"EOR", Op::kXor},  {"LSL", Op::kShl},
                                                   {"LSR", Op::kShr},  {"ASR", Op::kSar},  {"MUL", Op::kMul},
                                                   {"ADDS", Op::kAdd}, {"SUBS", Op::kSub}, {"ANDS", Op::kAnd}};
    auto found = kOps.find(op);
    bool move = op == "MOV" || op == "MOVZ" || op == "UXTW" || op == "SXTW" || op == "ADR" || op == "MVN" ||
                op == "UXTB" || op == "UXTH";
    bool compare = op == "CMP" || op == "TST";
    bool select = op == "CSEL";
    bool set = op == "CSET";
    if (found == kOps.end() && !move && !compare && !select && !set) {
      return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `" + op + "`");
    }
    Result<Reg> dst = Register(cursor);
    if (!dst) return dst.error();
    if (Status comma = Comma(cursor); !comma) return comma;
    if (set) {
      auto condition = Conditions().find(Upper(cursor.Word()));
      if (condition == Conditions().end()) return cursor.Wrong("unknown condition");
      Assign(thread, *dst, thread.Binary(condition->second, thread.Reg(kLeft), thread.Reg(kRight)));
      return {};
    }
    Result<int> first = Operand(cursor, thread, move || compare);
    if (!first) return first.error();
    if (move) {
      int value = *first;
      if (op == "SXTW") value = thread.Unary(Op::kSext32, value);
      if (op == "UXTW") value = thread.Unary(Op::kZext32, value);
      if (op == "UXTB") value = thread.Unary(Op::kZext8, value);
      if (op == "UXTH") value = thread.Unary(Op::kZext16, value);
      if (op == "MVN") value = thread.Unary(Op::kComplement, value);
      Assign(thread, *dst, value);
      return {};
    }
    if (compare) {
      int left = Value(thread, *dst);
      bool test = op == "TST";
      int right = *first;
      if (dst->word && !test) {
        left = thread.Unary(Op::kSext32, left);
        right = thread.Unary(Op::kSext32, right);
      }
      thread.Assign(kLeft, test ? thread.Binary(Op::kAnd, left, right) : left);
      thread.Assign(kRight, test ? thread.Const(0) : right);
      return {};
    }
    if (Status comma = Comma(cursor); !comma) return comma;
    Result<int> second = Operand(cursor, thread, !select);
    if (!second) return second.error();
    if (select) {
      if (Status comma = Comma(cursor); !comma) return comma;
      auto condition = Conditions().find(Upper(cursor.Word()));
      if (condition == Conditions().end()) return cursor.Wrong("unknown condition");
      int test = thread.Binary(condition->second, thread.Reg(kLeft), thread.Reg(kRight));
      Assign(thread, *dst, thread.Add({Op::kSelect, test, *first, *second}));
      return {};
    }
    int value = thread.Binary(found->second, *first, *second);
    if (op == "SUBS") {
      thread.Assign(kLeft, *first);
      thread.Assign(kRight, *second);
    } else if (op.size() == 4) {
      thread.Assign(kLeft, value);
      thread.Assign(kRight, thread.Const(0));
    }
    Assign(thread, *dst, value);
    return {};
  }

  size_t begin_ = 0;
};

}  // namespace

std::unique_ptr<InstructionParser> MakeAArch64Parser() { return std::make_unique<AArch64Parser>(); }

}  // namespace heddle::litmus
