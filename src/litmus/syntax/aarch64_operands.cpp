#include <algorithm>
#include <cctype>

#include "litmus/syntax/aarch64_parser.h"

// Registers, addresses and numbers of AArch64.
namespace heddle::litmus {

std::string UpperCase(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

namespace {

// X3 and W3 are register X3; the zero registers are XZR.
std::string Canonical(std::string_view word) {
  std::string w = UpperCase(word);
  if (w == "XZR" || w == "WZR") return "XZR";
  if (w == "SP") return "SP";
  if (w.size() < 2 || (w[0] != 'X' && w[0] != 'W')) return "";
  if (!std::all_of(w.begin() + 1, w.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) return "";
  return "X" + w.substr(1);
}

bool IsWord(std::string_view reg) { return reg[0] == 'W' || reg[0] == 'w'; }

}  // namespace

std::string AArch64Parser::RegisterName(std::string_view word) const { return Canonical(word); }

Result<AArch64Parser::Reg> AArch64Parser::Register(Cursor& cursor) {
  cursor.Skip();
  size_t begin = cursor.at();
  std::string word(cursor.Word());
  std::string name = Canonical(word);
  if (name.empty())
    return cursor.WrongAt(begin, std::max(begin + 1, cursor.at()), "expected a register, found `" + word + "`");
  return Reg{name, IsWord(word)};
}

Result<std::array<AArch64Parser::Reg, 2>> AArch64Parser::TwoRegisters(Cursor& cursor) {
  Result<Reg> first = Register(cursor);
  if (!first) return first.error();
  if (Status comma = Comma(cursor); !comma) return comma.error();
  Result<Reg> second = Register(cursor);
  if (!second) return second.error();
  return std::array<Reg, 2>{*first, *second};
}

int AArch64Parser::Value(ThreadBuilder& thread, const Reg& reg) {
  if (reg.name == "XZR") return thread.Const(0);
  int expr = thread.Reg(reg.name);
  return reg.word ? thread.Unary(Op::kZext32, expr) : expr;
}

int AArch64Parser::Destination(ThreadBuilder& thread, const Reg& reg) {
  return reg.name == "XZR" ? -1 : thread.Register(reg.name);
}

void AArch64Parser::Assign(ThreadBuilder& thread, const Reg& reg, int value) {
  if (reg.name == "XZR") return;
  thread.Assign(reg.name, reg.word ? thread.Unary(Op::kZext32, value) : value);
}

Status AArch64Parser::Comma(Cursor& cursor) { return cursor.Need(",", "between operands"); }

// [X1], [X1,#4], [X1,X2], [X1,W2,SXTW], [X1,W2,UXTW #2], [X1,X2,LSL #2]; [X1,#4]! and [X1],#4 change the base, which
// `Writeback` does after the access.
Result<int> AArch64Parser::Address(Cursor& cursor, ThreadBuilder& thread) {
  base_.clear();
  if (Status status = cursor.Need("[", "before the address"); !status) return status.error();
  Result<Reg> base = Register(cursor);
  if (!base) return base.error();
  int address = Value(thread, *base);
  if (cursor.Take(",")) {
    if (cursor.Peek() == '#' || std::isdigit(static_cast<unsigned char>(cursor.Peek())) != 0 || cursor.Peek() == '-') {
      Result<int64_t> offset = Immediate(cursor);
      if (!offset) return offset.error();
      if (*offset != 0) address = thread.Binary(Op::kAdd, address, thread.Const(*offset));
    } else {
      Result<Reg> index = Register(cursor);
      if (!index) return index.error();
      Result<int> value = Extended(cursor, thread, Value(thread, *index), index->word);
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
void AArch64Parser::Writeback(ThreadBuilder& thread) {
  if (!base_.empty() && base_ != "XZR") thread.Assign(base_, new_base_);
}

// ", LSL #2", ", SXTW" after a register.
Result<int> AArch64Parser::Extended(Cursor& cursor, ThreadBuilder& thread, int value, bool word) {
  if (!cursor.Take(",")) return value;
  std::string how = UpperCase(cursor.Word());
  if (how == "SXTW") value = thread.Unary(Op::kSext32, value);
  if (how == "UXTW") value = thread.Unary(Op::kZext32, value);
  if (how == "UXTB") value = thread.Unary(Op::kZext8, value);
  if (how == "UXTH") value = thread.Unary(Op::kZext16, value);
  if (how == "SXTB") value = SignExtended(thread, value, 8);
  if (how == "SXTH") value = SignExtended(thread, value, 16);
  if (how == "ASR" && word) value = thread.Unary(Op::kSext32, value);
  static const std::map<std::string, Op> kShifts = {{"LSL", Op::kShl},  {"LSR", Op::kShr},  {"ASR", Op::kSar},
                                                    {"SXTW", Op::kShl}, {"UXTW", Op::kShl}, {"SXTX", Op::kShl},
                                                    {"UXTX", Op::kShl}, {"SXTB", Op::kShl}, {"UXTB", Op::kShl},
                                                    {"SXTH", Op::kShl}, {"UXTH", Op::kShl}};
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

Result<int64_t> AArch64Parser::Immediate(Cursor& cursor) {
  cursor.Take("#");
  std::optional<int64_t> number = cursor.Number();
  if (!number) return cursor.Wrong("expected a number, found " + cursor.Shown());
  return *number;
}

// Only the last operand may be shifted.
Result<int> AArch64Parser::Operand(Cursor& cursor, ThreadBuilder& thread, bool last) {
  char next = cursor.Peek();
  if (next == '#' || next == '-' || std::isdigit(static_cast<unsigned char>(next)) != 0) {
    Result<int64_t> number = Immediate(cursor);
    if (!number) return number.error();
    return last ? Extended(cursor, thread, thread.Const(*number), false) : thread.Const(*number);
  }
  std::string_view word = cursor.PeekWord();
  if (Canonical(word).empty() && !word.empty()) {  // the address of a location, as ADR takes it
    return thread.AddressOf(cursor.Word());
  }
  Result<Reg> reg = Register(cursor);
  if (!reg) return reg.error();
  return last ? Extended(cursor, thread, Value(thread, *reg), reg->word) : Value(thread, *reg);
}

// What a narrow access stores.
int AArch64Parser::Narrow(ThreadBuilder& thread, int value, int width) {
  if (width == 1) return thread.Unary(Op::kZext8, value);
  return width == 2 ? thread.Unary(Op::kZext16, value) : value;
}

int AArch64Parser::SignExtended(ThreadBuilder& thread, int value, int bits) {
  int shift = 64 - bits;
  return thread.Binary(Op::kSar, thread.Binary(Op::kShl, value, thread.Const(shift)), thread.Const(shift));
}

}  // namespace heddle::litmus
