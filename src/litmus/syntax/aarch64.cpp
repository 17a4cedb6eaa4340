#include "litmus/syntax/aarch64_parser.h"

// AArch64: which instruction it is; DMB, DSB and ISB with their options, and branches.
namespace heddle::litmus {

Status AArch64Parser::Parse(Cursor& cursor, ThreadBuilder& thread) {
  begin_ = cursor.at();
  std::string op = UpperCase(cursor.DottedWord());
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
      (op.size() == 3 && op[0] == 'B' && IsCondition(op.substr(1)))) {
    return Branch(cursor, thread, op);
  }
  if (op == "LDP" || op == "STP" || op == "LDNP" || op == "STNP") return Pair(cursor, thread, op[0] == 'L');
  if (op == "LDXP" || op == "STXP" || op == "LDAXP" || op == "STLXP") return ExclusivePair(cursor, thread, op);
  if (op.starts_with("CASP")) return CompareAndSwapPair(cursor, thread, op.substr(4));
  if (Result<bool> done = Atomic(cursor, thread, op); !done || *done) return done ? Status() : Status(done.error());
  if (Result<bool> done = Memory(cursor, thread, op); !done || *done) return done ? Status() : Status(done.error());
  return Arithmetic(cursor, thread, op);
}

Status AArch64Parser::Fence(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
  std::string option = op == "ISB" ? UpperCase(cursor.PeekWord()) : UpperCase(cursor.Word());
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

Status AArch64Parser::Branch(Cursor& cursor, ThreadBuilder& thread, const std::string& op) {
  if (op == "B") {
    thread.Branch(-1, cursor.Word());
    return {};
  }
  if (op[0] == 'B') {
    std::string name = op.substr(op[1] == '.' ? 2 : 1);
    if (!IsCondition(name)) return cursor.WrongAt(begin_, cursor.at(), "unknown condition in `" + op + "`");
    int test = Condition(thread, name);
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

Status AArch64Parser::Prefetch(Cursor& cursor, ThreadBuilder& thread) {
  cursor.Word();
  if (Status comma = Comma(cursor); !comma) return comma;
  Result<int> address = Address(cursor, thread);
  return address ? Status() : Status(address.error());
}

std::unique_ptr<InstructionParser> MakeAArch64Parser() { return std::make_unique<AArch64Parser>(); }

}  // namespace heddle::litmus
