#include "litmus/syntax/aarch64_parser.h"
#include "litmus/syntax/flags.h"

// Loads and stores of AArch64 with their acquire, release and exclusive forms, in pairs and indexed, and the
// single-instruction atomics (SWP, CAS, LDADD and its kin with A, L, AL).
namespace heddle::litmus {
namespace {

constexpr std::string_view kBase = "%base";

}  // namespace

struct AArch64Parser::Form {
  bool load = false;
  bool exclusive = false;
  TagSet tags;
  int width = 0;        // 0: that of the register
  bool extend = false;  // LDRSB: the sign is extended
};

const std::map<std::string, AArch64Parser::Form>& AArch64Parser::Forms() {
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

// Two accesses; nothing orders them but what orders any two.
Status AArch64Parser::Pair(Cursor& cursor, ThreadBuilder& thread, bool load) {
  Result<std::array<Reg, 2>> regs = TwoRegisters(cursor);
  if (!regs) return regs.error();
  if (Status comma = Comma(cursor); !comma) return comma;
  Result<int> address = Address(cursor, thread);
  if (!address) return address.error();
  // The base may be one of the registers that are loaded.
  thread.Assign(kBase, *address);
  int width = (*regs)[0].word ? 4 : 8;
  for (int half = 0; half < 2; ++half) {
    const Reg& reg = (*regs)[static_cast<size_t>(half)];
    int at = thread.Binary(Op::kAdd, thread.Reg(kBase), thread.Const(half * width));
    int value = load ? -1 : Value(thread, reg);
    int dst = load ? Destination(thread, reg) : -1;
    Instr& instr = thread.Emit(load ? Instr::Kind::kLoad : Instr::Kind::kStore);
    instr.addr = at;
    instr.value = value;
    instr.dst = dst;
    instr.width = width;
    instr.zero_extends = true;
  }
  Writeback(thread);
  return {};
}

// LDXP and STXP. A pair of doublewords is read in two accesses, which only a store that succeeds makes one.
Status AArch64Parser::ExclusivePair(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
  bool load = op[0] == 'L';
  Reg status{"XZR", true};
  if (!load) {
    Result<Reg> reg = Register(cursor);
    if (!reg) return reg.error();
    status = *reg;
    if (Status comma = Comma(cursor); !comma) return comma;
  }
  Result<std::array<Reg, 2>> regs = TwoRegisters(cursor);
  if (!regs) return regs.error();
  if (Status comma = Comma(cursor); !comma) return comma;
  Result<int> address = Address(cursor, thread);
  if (!address) return address.error();
  const auto& [first, second] = *regs;
  int values[2] = {load ? -1 : Value(thread, first), load ? -1 : Value(thread, second)};
  int to[2] = {load ? Destination(thread, first) : -1, load ? Destination(thread, second) : -1};
  int result = Destination(thread, status);
  Instr& instr = thread.Emit(load ? Instr::Kind::kLoad : Instr::Kind::kStore);
  instr.addr = *address;
  instr.pair = true;
  instr.width = first.word ? 4 : 8;
  instr.zero_extends = true;
  instr.one_access = !load || first.word;
  instr.dst = to[0];
  instr.second_dst = to[1];
  instr.value = values[0];
  instr.second_value = values[1];
  instr.reserve = load;
  instr.conditional = !load;
  instr.status = result;
  instr.tags = Tags({TagOf("X"), TagOf("EX")});
  if (op == "LDAXP") instr.tags.set(TagOf("A"));
  if (op == "STLXP") instr.tags.set(TagOf("L"));
  return {};
}

// CASP with A, L or AL: two neighbouring registers are compared, two others are written.
Status AArch64Parser::CompareAndSwapPair(Cursor& cursor, ThreadBuilder& thread, const std::string& suffix) {
  if (suffix != "" && suffix != "A" && suffix != "L" && suffix != "AL") {
    return cursor.WrongAt(begin_, cursor.at(), "unknown instruction `CASP" + suffix + "`");
  }
  Result<std::array<Reg, 2>> compared = TwoRegisters(cursor);
  if (!compared) return compared.error();
  if (Status comma = Comma(cursor); !comma) return comma;
  Result<std::array<Reg, 2>> given = TwoRegisters(cursor);
  if (!given) return given.error();
  if (Status comma = Comma(cursor); !comma) return comma;
  Result<int> address = Address(cursor, thread);
  if (!address) return address.error();
  int expect[2] = {Value(thread, (*compared)[0]), Value(thread, (*compared)[1])};
  int value[2] = {Value(thread, (*given)[0]), Value(thread, (*given)[1])};
  int to[2] = {Destination(thread, (*compared)[0]), Destination(thread, (*compared)[1])};
  Instr& rmw = thread.Emit(Instr::Kind::kRmw);
  rmw.addr = *address;
  rmw.pair = true;
  rmw.width = (*compared)[0].word ? 4 : 8;
  rmw.expect = expect[0];
  rmw.second_expect = expect[1];
  rmw.value = value[0];
  rmw.second_value = value[1];
  rmw.dst = to[0];
  rmw.second_dst = to[1];
  SetOrders(rmw, suffix, to[0] >= 0 || to[1] >= 0);
  return {};
}

// The value of an instruction without a destination is not used: then there is nothing to acquire.
void AArch64Parser::SetOrders(Instr& rmw, const std::string& suffix, bool returns) {
  rmw.amo = true;
  rmw.zero_extends = true;
  rmw.tags.set(TagOf("X"));
  rmw.write_tags.set(TagOf("X"));
  if (suffix.starts_with("A") && returns) rmw.tags.set(TagOf("A"));
  if (!returns) rmw.tags.set(TagOf("NoRet"));
  if (suffix == "L" || suffix == "AL") rmw.write_tags.set(TagOf("L"));
  rmw.fail_tags = rmw.tags;
}

Result<bool> AArch64Parser::Memory(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
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
  instr.zero_extends = true;
  if (form.extend) Assign(thread, *reg, SignExtended(thread, Value(thread, {reg->name, false}), form.width * 8));
  Writeback(thread);
  return true;
}

// SWP, CAS, LDADD ... with suffixes: A, L, AL, then B or H. STADD and its kin give nothing back.
Result<bool> AArch64Parser::Atomic(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
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

Result<bool> AArch64Parser::Rmw(Cursor& cursor, ThreadBuilder& thread, Op op, const std::string& suffix, int width,
                                bool returns) {
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
  int value = cas ? Value(thread, second) : NewValue(thread, op, given, width != 0 ? 8 * width : first->word ? 32 : 64);
  if (first->word) value = thread.Unary(Op::kZext32, value);
  value = Narrow(thread, value, width);
  int expected = cas ? Narrow(thread, given, width) : -1;
  int dst = Destination(thread, cas ? *first : second);
  Instr& rmw = thread.Emit(Instr::Kind::kRmw);
  rmw.dst = dst;
  rmw.addr = *address;
  rmw.value = value;
  rmw.expect = cas ? expected : -1;
  rmw.width = width != 0 ? width : first->word ? 4 : 8;
  SetOrders(rmw, suffix, dst >= 0);
  Writeback(thread);
  return true;
}

// What an operation on this many bits writes.
int AArch64Parser::NewValue(ThreadBuilder& thread, Op op, int given, int bits) {
  if (op == Op::kOld) return given;
  if (op == Op::kComplement) return thread.Binary(Op::kAnd, thread.Old(), thread.Unary(Op::kComplement, given));
  int old = thread.Old();
  bool by_sign = op == Op::kMin || op == Op::kMax;
  if (by_sign && bits < 64)
    return thread.Binary(op, SignExtended(thread, old, bits), SignExtended(thread, given, bits));
  if (op == Op::kMinU || op == Op::kMaxU) {
    old = ZeroExtended(thread, old, bits);
    given = ZeroExtended(thread, given, bits);
  }
  return thread.Binary(op, old, given);
}

}  // namespace heddle::litmus
