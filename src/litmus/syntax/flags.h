// Condition flags of AArch64 and x86: one register of four bits, so that what depends on a comparison depends on both
// of its operands. Operands are unsigned values of the given number of bits.
#pragma once

#include <string_view>

#include "litmus/syntax/builder.h"

namespace heddle::litmus {

inline constexpr std::string_view kFlags = "%flags";

enum class Flag { kOverflow, kCarry, kZero, kNegative };  // the number of its bit

// The lower bits of a value, as an unsigned number. An address stays whole.
int ZeroExtended(ThreadBuilder& thread, int value, int bits);
int BitOf(ThreadBuilder& thread, int value, int bit);

// Expressions for all four flags. The carry of a difference says that nothing was borrowed, as on AArch64.
int FlagsOfSum(ThreadBuilder& thread, int a, int b, int bits);
int FlagsOfDifference(ThreadBuilder& thread, int a, int b, int bits);
int FlagsOfResult(ThreadBuilder& thread, int value, int bits);  // carry and overflow are clear
int WithFlag(ThreadBuilder& thread, int flags, Flag flag, int value);

// Whether a flag of the register is set, as 0 or 1.
int FlagIs(ThreadBuilder& thread, Flag flag);
int LessBySign(ThreadBuilder& thread);  // negative and overflow differ

}  // namespace heddle::litmus
