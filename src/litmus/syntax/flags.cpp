#include "litmus/syntax/flags.h"

namespace heddle::litmus {
namespace {

int Packed(ThreadBuilder& thread, int negative, int zero, int carry, int overflow) {
  auto at = [&](int value, Flag flag) { return thread.Binary(Op::kShl, value, thread.Const(static_cast<int>(flag))); };
  int upper = thread.Binary(Op::kOr, at(negative, Flag::kNegative), at(zero, Flag::kZero));
  return thread.Binary(Op::kOr, upper, thread.Binary(Op::kOr, at(carry, Flag::kCarry), overflow));
}

}  // namespace

int ZeroExtended(ThreadBuilder& thread, int value, int bits) {
  if (bits == 32) return thread.Unary(Op::kZext32, value);
  if (bits == 16) return thread.Unary(Op::kZext16, value);
  return bits == 8 ? thread.Unary(Op::kZext8, value) : value;
}

int BitOf(ThreadBuilder& thread, int value, int bit) {
  int shifted = bit == 0 ? value : thread.Binary(Op::kShr, value, thread.Const(bit));
  return thread.Binary(Op::kAnd, shifted, thread.Const(1));
}

int FlagsOfSum(ThreadBuilder& thread, int a, int b, int bits) {
  int sum = thread.Binary(Op::kAdd, a, b);
  int zero = thread.Binary(Op::kEq, ZeroExtended(thread, sum, bits), thread.Const(0));
  int carry = bits == 64 ? thread.Binary(Op::kLtU, sum, a) : BitOf(thread, sum, bits);
  int changed = thread.Binary(Op::kAnd, thread.Binary(Op::kXor, sum, a), thread.Binary(Op::kXor, sum, b));
  return Packed(thread, BitOf(thread, sum, bits - 1), zero, carry, BitOf(thread, changed, bits - 1));
}

int FlagsOfDifference(ThreadBuilder& thread, int a, int b, int bits) {
  int difference = thread.Binary(Op::kSub, a, b);
  int changed = thread.Binary(Op::kAnd, thread.Binary(Op::kXor, a, b), thread.Binary(Op::kXor, a, difference));
  return Packed(thread, BitOf(thread, difference, bits - 1), thread.Binary(Op::kEq, a, b),
                thread.Binary(Op::kGeU, a, b), BitOf(thread, changed, bits - 1));
}

int FlagsOfResult(ThreadBuilder& thread, int value, int bits) {
  int zero = thread.Binary(Op::kEq, ZeroExtended(thread, value, bits), thread.Const(0));
  return Packed(thread, BitOf(thread, value, bits - 1), zero, thread.Const(0), thread.Const(0));
}

int WithFlag(ThreadBuilder& thread, int flags, Flag flag, int value) {
  auto bit = static_cast<int>(flag);
  int others = thread.Binary(Op::kAnd, flags, thread.Const(15 & ~(1 << bit)));
  return thread.Binary(Op::kOr, others, thread.Binary(Op::kShl, value, thread.Const(bit)));
}

int FlagIs(ThreadBuilder& thread, Flag flag) { return BitOf(thread, thread.Reg(kFlags), static_cast<int>(flag)); }

int LessBySign(ThreadBuilder& thread) {
  return thread.Binary(Op::kXor, FlagIs(thread, Flag::kNegative), FlagIs(thread, Flag::kOverflow));
}

}  // namespace heddle::litmus
