#include <algorithm>

#include "litmus/syntax/aarch64_parser.h"
#include "litmus/syntax/flags.h"

// Arithmetic, comparisons, selections and fields of bits of AArch64.
namespace heddle::litmus {

Status AArch64Parser::Arithmetic(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
  if (Result<bool> done = Bits(cursor, thread, op); !done || *done) return done ? Status() : Status(done.error());
  if (Result<bool> done = ConditionalCompare(cursor, thread, op); !done || *done) {
    return done ? Status() : Status(done.error());
  }
  if (Result<bool> done = Select(cursor, thread, op); !done || *done) return done ? Status() : Status(done.error());
  static const std::map<std::string, Op> kOps = {
      {"ORN", Op::kOr},   {"EON", Op::kXor},  {"BIC", Op::kAnd},  {"UDIV", Op::kDivU}, {"SDIV", Op::kDiv},
      {"BICS", Op::kAnd}, {"ADD", Op::kAdd},  {"SUB", Op::kSub},  {"AND", Op::kAnd},   {"ORR", Op::kOr},
      {"EOR", Op::kXor},  {"LSL", Op::kShl},  {"LSR", Op::kShr},  {"ASR", Op::kSar},   {"MUL", Op::kMul},
      {"ADDS", Op::kAdd}, {"SUBS", Op::kSub}, {"ANDS", Op::kAnd}, {"LSLV", Op::kShl},  {"LSRV", Op::kShr},
      {"ASRV", Op::kSar}, {"MNEG", Op::kMul}};
  auto found = kOps.find(op);
  bool move = op == "MOV" || op == "MOVZ" || op == "UXTW" || op == "SXTW" || op == "ADR" || op == "MVN" ||
              op == "UXTB" || op == "UXTH" || op == "NEG" || op == "NEGS" || op == "MOVN" || op == "SXTB" ||
              op == "SXTH";
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
    if (op == "NEGS")
      SetFlags(thread, "SUBS", thread.Const(0), ZeroExtended(thread, value, dst->word ? 32 : 64), -1,
               dst->word ? 32 : 64);
    if (op.starts_with("NEG")) value = thread.Unary(Op::kNeg, value);
    if (op == "MVN" || op == "MOVN") value = thread.Unary(Op::kComplement, value);
    Assign(thread, *dst, value);
    return {};
  }
  int bits = dst->word ? 32 : 64;
  if (compare) {
    int left = Value(thread, *dst);
    int right = ZeroExtended(thread, *first, bits);
    std::string same = op == "TST" ? "ANDS" : op == "CMN" ? "ADDS" : "SUBS";
    SetFlags(thread, same, left, right, op == "TST" ? thread.Binary(Op::kAnd, left, right) : -1, bits);
    return {};
  }
  if (Status comma = Comma(cursor); !comma) return comma;
  Result<int> given = Operand(cursor, thread, true);
  if (!given) return given.error();
  int left = *first;
  int right = ZeroExtended(thread, *given, bits);
  if (op == "ORN" || op == "EON" || op.starts_with("BIC")) right = thread.Unary(Op::kComplement, right);
  if (op.starts_with("LS") || op.starts_with("ASR")) right = thread.Binary(Op::kAnd, right, thread.Const(bits - 1));
  bool signed_left = op == "SDIV" || op.starts_with("ASR");
  if (signed_left && dst->word) left = thread.Unary(Op::kSext32, left);
  if (op == "SDIV" && dst->word) right = thread.Unary(Op::kSext32, right);
  int value = thread.Binary(found->second, left, right);
  if (op == "MNEG") value = thread.Unary(Op::kNeg, value);
  // The flags come from what the operands were before.
  if (op.size() == 4 && op.back() == 'S') SetFlags(thread, op, left, right, value, bits);
  Assign(thread, *dst, value);
  return {};
}

// ADDS, SUBS, ANDS and BICS.
void AArch64Parser::SetFlags(ThreadBuilder& thread, const std::string& op, int left, int right, int value, int bits) {
  int flags = op == "ADDS"   ? FlagsOfSum(thread, left, right, bits)
              : op == "SUBS" ? FlagsOfDifference(thread, left, right, bits)
                             : FlagsOfResult(thread, value, bits);
  thread.Assign(kFlags, flags);
}

bool AArch64Parser::IsCondition(std::string_view name) {
  static constexpr std::string_view kNames[] = {"EQ", "NE", "CS", "HS", "CC", "LO", "MI", "PL", "VS",
                                                "VC", "HI", "LS", "GE", "LT", "GT", "LE", "AL"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

int AArch64Parser::Condition(ThreadBuilder& thread, std::string_view name) {
  auto either = [&](int a, int b) { return thread.Binary(Op::kOr, a, b); };
  auto no = [&](int value) { return thread.Unary(Op::kNot, value); };
  auto is = [&](Flag flag) { return FlagIs(thread, flag); };
  if (name == "EQ") return is(Flag::kZero);
  if (name == "NE") return no(is(Flag::kZero));
  if (name == "CS" || name == "HS") return is(Flag::kCarry);
  if (name == "CC" || name == "LO") return no(is(Flag::kCarry));
  if (name == "MI") return is(Flag::kNegative);
  if (name == "PL") return no(is(Flag::kNegative));
  if (name == "VS") return is(Flag::kOverflow);
  if (name == "VC") return no(is(Flag::kOverflow));
  if (name == "LS") return either(no(is(Flag::kCarry)), is(Flag::kZero));
  if (name == "HI") return no(either(no(is(Flag::kCarry)), is(Flag::kZero)));
  if (name == "LT") return LessBySign(thread);
  if (name == "GE") return no(LessBySign(thread));
  if (name == "LE") return either(is(Flag::kZero), LessBySign(thread));
  if (name == "GT") return no(either(is(Flag::kZero), LessBySign(thread)));
  return thread.Const(1);  // AL
}

// CCMP and CCMN: a comparison when the condition holds, the given flags when not.
Result<bool> AArch64Parser::ConditionalCompare(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
  if (op != "CCMP" && op != "CCMN") return false;
  Result<Reg> reg = Register(cursor);
  if (!reg) return reg.error();
  if (Status comma = Comma(cursor); !comma) return comma.error();
  Result<int> second = Operand(cursor, thread, false);
  if (!second) return second.error();
  if (Status comma = Comma(cursor); !comma) return comma.error();
  Result<int64_t> otherwise = Immediate(cursor);
  if (!otherwise) return otherwise.error();
  if (Status comma = Comma(cursor); !comma) return comma.error();
  std::string name = UpperCase(cursor.Word());
  if (!IsCondition(name)) return cursor.Wrong("unknown condition");
  int bits = reg->word ? 32 : 64;
  int left = Value(thread, *reg);
  int right = ZeroExtended(thread, *second, bits);
  int compared = op == "CCMP" ? FlagsOfDifference(thread, left, right, bits) : FlagsOfSum(thread, left, right, bits);
  int test = Condition(thread, name);
  thread.Assign(kFlags, thread.Add({Op::kSelect, test, compared, thread.Const(*otherwise & 15)}));
  return true;
}

// CSEL and its kin: one of two values, by the last comparison.
Result<bool> AArch64Parser::Select(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
  struct Kind {
    std::string_view name;
    int registers;  // 0: constants, 1: one register, changed when the condition holds
    Op change;      // of the value that is taken when it does not hold
  };
  static constexpr Kind kKinds[] = {{"CSEL", 2, Op::kReg},  {"CSINC", 2, Op::kAdd},       {"CSINV", 2, Op::kComplement},
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
  std::string name = UpperCase(cursor.Word());
  if (!IsCondition(name)) return cursor.Wrong("unknown condition");
  int test = Condition(thread, name);
  if (kind->registers > 0) {
    int& changed = values[kind->registers == 1 ? 0 : 1];
    if (kind->change == Op::kAdd) changed = thread.Binary(Op::kAdd, changed, thread.Const(1));
    if (kind->change == Op::kNeg || kind->change == Op::kComplement) changed = thread.Unary(kind->change, changed);
  }
  Assign(thread, *dst, thread.Add({Op::kSelect, test, values[0], values[1]}));
  return true;
}

// Bit fields, MOVK, ROR, MADD and MSUB.
Result<bool> AArch64Parser::Bits(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
  bool field = op == "UBFM" || op == "SBFM" || op == "UBFX" || op == "SBFX";
  bool sum = op == "MADD" || op == "MSUB";
  bool rotate = op == "ROR" || op == "RORV" || op == "EXTR";
  if (!field && !sum && op != "MOVK" && !rotate) return false;
  Result<Reg> dst = Register(cursor);
  if (!dst) return dst.error();
  if (Status comma = Comma(cursor); !comma) return comma.error();
  int bits = dst->word ? 32 : 64;
  if (op == "MOVK") {
    Result<int64_t> number = Immediate(cursor);
    if (!number) return number.error();
    int64_t shift = 0;
    if (cursor.Take(",")) {
      if (UpperCase(cursor.Word()) != "LSL") return cursor.Wrong("expected LSL");
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
  if (rotate) return Rotate(cursor, thread, op, *dst, value, operands, numbers);
  size_t wanted = 2;
  if ((sum ? operands : std::vector<int>(numbers.size())).size() != wanted) {
    return cursor.WrongAt(begin_, cursor.at(), "`" + op + "` needs " + std::to_string(wanted) + " more operands");
  }
  if (sum) {
    int product = thread.Binary(Op::kMul, value, operands[0]);
    Assign(thread, *dst, thread.Binary(op == "MADD" ? Op::kAdd : Op::kSub, operands[1], product));
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

// ROR by a number or a register, and EXTR: bits of two registers, one above the other.
Result<bool> AArch64Parser::Rotate(Cursor& cursor, ThreadBuilder& thread, const std::string& op, const Reg& dst,
                                   int upper, const std::vector<int>& operands, const std::vector<int64_t>& numbers) {
  bool extract = op == "EXTR";
  if (operands.size() + numbers.size() != (extract ? 2U : 1U) || (extract && numbers.size() != 1)) {
    return cursor.WrongAt(begin_, cursor.at(), "wrong operands of `" + op + "`");
  }
  int bits = dst.word ? 32 : 64;
  int amount = numbers.empty() ? thread.Binary(Op::kAnd, operands[0], thread.Const(bits - 1))
                               : thread.Const(numbers[0] & (bits - 1));
  int lower = extract ? operands[0] : upper;
  int low = thread.Binary(Op::kShr, lower, amount);
  // By `bits` is nothing, which a shift by 64 would not do.
  int rest = thread.Binary(Op::kSub, thread.Const(bits - 1), amount);
  int high = thread.Binary(Op::kShl, thread.Binary(Op::kShl, upper, rest), thread.Const(1));
  Assign(thread, dst, thread.Binary(Op::kOr, low, high));
  return true;
}

}  // namespace heddle::litmus
