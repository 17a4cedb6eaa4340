// The machines that a harness can be compiled for: compiler, emulator, and the instructions that mark its code for
// optcheck. A mark changes nothing: it writes the zero register, or is a nop.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "litmus/syntax/test.h"

namespace heddle::litmus {

enum class Machine { kX86_64, kAArch64, kRiscv64, kPpc64le };

struct Target {
  Machine machine;
  std::string_view name;      // x86_64, as uname says it
  std::string_view compiler;  // the cross compiler
  std::string_view emulator;
  std::string_view package;  // Debian packages of both
  std::vector<std::string> flags;
};

const std::vector<Target>& Targets();
const Target& TargetOf(Machine machine);
// The machine of an assembly language; of C the one that heddle runs on.
const Target* TargetFor(Arch arch);
const Target* TargetNamed(std::string_view name);
const Target* Host();

// Marks (optcheck.h): where the thread begins and ends, which register points to a cell, and one specification
// instruction for each access.
std::string MarkText(Machine machine, int number);                            // 16 bits
std::string CellMarkText(Machine machine, const std::string& reg, int cell);  // reg: an operand of inline assembly

inline constexpr int kBeginMark = 0x7f3a;
inline constexpr int kEndMark = 0x7f3b;
inline constexpr int kSpecification = 0x4000;  // | position << 8 | kind << 6 | cell
inline constexpr int kNoCell = 63;
inline constexpr int kCellMark = 0x700;  // | cell; for x86-64 above the lower 12 bits of a displacement

}  // namespace heddle::litmus
