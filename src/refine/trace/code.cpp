#include "refine/trace/code.h"

#include <cstring>
#include <string_view>

namespace heddle::refine {
namespace {

constexpr uint8_t kLock = 0xf0;

bool IsPrefix(uint8_t byte) {
  static constexpr std::string_view kPrefixes = "\x66\x67\x2e\x36\x3e\x26\x64\x65\xf2\xf3\xf0";
  return kPrefixes.find(static_cast<char>(byte)) != std::string_view::npos;
}

// The part of VEX that is no AVX: bit manipulation (BMI1, BMI2), which the emulator has.
bool IsBitManipulation(std::span<const uint8_t> vex) {
  if (vex.size() < 4 || vex[0] != 0xc4) return false;
  uint8_t map = vex[1] & 0x1f;
  uint8_t opcode = vex[3];
  return map == 2 ? opcode == 0xf2 || opcode == 0xf3 || (opcode >= 0xf5 && opcode <= 0xf7) : map == 3 && opcode == 0xf0;
}

// A lock prefix, xchg with memory (which locks without one), or mfence, lfence and sfence.
CodeKind LookAtX86(std::span<const uint8_t> code) {
  size_t at = 0;
  for (; at < code.size() && IsPrefix(code[at]); ++at) {
    if (code[at] == kLock) return CodeKind::kAtomic;
  }
  auto byte = [&](size_t i) { return at + i < code.size() ? code[at + i] : uint8_t{0}; };
  bool vex = byte(0) == 0xc4 || byte(0) == 0xc5;
  bool evex = byte(0) == 0x62;
  if (evex || (vex && !IsBitManipulation(code.subspan(at)))) return CodeKind::kNotEmulated;
  if ((byte(0) & 0xf0) == 0x40) ++at;  // REX
  bool in_register = byte(1) >= 0xc0;
  bool exchange = (byte(0) == 0x86 || byte(0) == 0x87) && !in_register;
  bool fence = byte(0) == 0x0f && byte(1) == 0xae && byte(2) >= 0xe8;
  return exchange || fence ? CodeKind::kAtomic : CodeKind::kPlain;
}

bool IsAtomicAArch64(uint32_t word) {
  bool exclusive_or_ordered = (word & 0x3f000000) == 0x08000000;  // ldxr, stxr, ldar, stlr, cas
  bool read_modify_write = (word & 0x3b200c00) == 0x38200000;     // ldadd, swp, ldapr
  uint32_t operation = word >> 5 & 7;
  bool barrier = (word & 0xfffff01f) == 0xd503301f && (operation == 4 || operation == 5);  // dsb, dmb
  return exclusive_or_ordered || read_modify_write || barrier;
}

bool IsAtomicRiscV(uint32_t word) {
  uint32_t opcode = word & 0x7f;
  return opcode == 0x2f || opcode == 0x0f;  // lr, sc and amo; fence
}

}  // namespace

CodeKind LookAtInstruction(Arch arch, std::span<const uint8_t> code) {
  if (arch == Arch::kX86_64) return LookAtX86(code);
  uint32_t word = 0;
  if (code.size() < sizeof word) return CodeKind::kPlain;
  std::memcpy(&word, code.data(), sizeof word);
  bool atomic = arch == Arch::kAArch64 ? IsAtomicAArch64(word) : IsAtomicRiscV(word);
  return atomic ? CodeKind::kAtomic : CodeKind::kPlain;
}

}  // namespace heddle::refine
