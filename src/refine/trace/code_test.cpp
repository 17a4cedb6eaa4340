#include "refine/trace/code.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::refine {
namespace {

bool IsAtomic(Arch arch, const std::vector<uint8_t>& code) {
  return LookAtInstruction(arch, code) == CodeKind::kAtomic;
}

bool IsAtomicWord(Arch arch, uint32_t word) {
  return IsAtomic(arch, {static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8), static_cast<uint8_t>(word >> 16),
                         static_cast<uint8_t>(word >> 24)});
}

TEST(Code, X86) {
  EXPECT_TRUE(IsAtomic(Arch::kX86_64, {0xf0, 0x0f, 0xc1, 0x05, 0, 0, 0, 0}));      // lock xadd %eax, x(%rip)
  EXPECT_TRUE(IsAtomic(Arch::kX86_64, {0x66, 0xf0, 0x0f, 0xb1, 0x0f}));            // lock cmpxchg %cx, (%rdi)
  EXPECT_TRUE(IsAtomic(Arch::kX86_64, {0x48, 0x87, 0x07}));                        // xchg %rax, (%rdi)
  EXPECT_TRUE(IsAtomic(Arch::kX86_64, {0x0f, 0xae, 0xf0}));                        // mfence
  EXPECT_FALSE(IsAtomic(Arch::kX86_64, {0x48, 0x87, 0xc3}));                       // xchg %rax, %rbx
  EXPECT_FALSE(IsAtomic(Arch::kX86_64, {0x66, 0x90}));                             // nop
  EXPECT_FALSE(IsAtomic(Arch::kX86_64, {0x0f, 0xae, 0x15, 0, 0, 0, 0}));           // ldmxcsr x(%rip)
  EXPECT_FALSE(IsAtomic(Arch::kX86_64, {0xc7, 0x05, 0xf0, 0, 0, 0, 1, 0, 0, 0}));  // movl $1, x(%rip)
}

TEST(Code, Avx) {
  auto kind = [](std::vector<uint8_t> code) { return LookAtInstruction(Arch::kX86_64, code); };
  EXPECT_EQ(kind({0xc5, 0xfa, 0x58, 0xc8}), CodeKind::kNotEmulated);                    // vaddss %xmm0, %xmm0, %xmm1
  EXPECT_EQ(kind({0xc4, 0xe2, 0x7d, 0x18, 0x05, 0, 0, 0, 0}), CodeKind::kNotEmulated);  // vbroadcastss x(%rip), %ymm0
  EXPECT_EQ(kind({0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}), CodeKind::kNotEmulated);        // vaddps %zmm1, %zmm0, %zmm0
  EXPECT_EQ(kind({0xc4, 0xe2, 0x61, 0xf7, 0xc0}), CodeKind::kPlain);                    // shlx %ebx, %eax, %eax
  EXPECT_EQ(kind({0xc4, 0xe2, 0x78, 0xf2, 0xc1}), CodeKind::kPlain);                    // andn %ecx, %eax, %eax
  EXPECT_EQ(kind({0xf3, 0x0f, 0x58, 0xc1}), CodeKind::kPlain);                          // addss %xmm1, %xmm0
}

TEST(Code, AArch64) {
  EXPECT_TRUE(IsAtomicWord(Arch::kAArch64, 0x885f7c01));   // ldxr w1, [x0]
  EXPECT_TRUE(IsAtomicWord(Arch::kAArch64, 0x889ffc01));   // stlr w1, [x0]
  EXPECT_TRUE(IsAtomicWord(Arch::kAArch64, 0xb8e10000));   // ldaddal w1, w0, [x0]
  EXPECT_TRUE(IsAtomicWord(Arch::kAArch64, 0xd5033bbf));   // dmb ish
  EXPECT_FALSE(IsAtomicWord(Arch::kAArch64, 0xb9400001));  // ldr w1, [x0]
  EXPECT_FALSE(IsAtomicWord(Arch::kAArch64, 0xb8627820));  // ldr w0, [x1, x2, lsl #2]
  EXPECT_FALSE(IsAtomicWord(Arch::kAArch64, 0xa9bf7bfd));  // stp x29, x30, [sp, #-16]!
}

TEST(Code, RiscV) {
  EXPECT_TRUE(IsAtomicWord(Arch::kRiscV64, 0x00b5252f));   // amoadd.w a0, a1, (a0)
  EXPECT_TRUE(IsAtomicWord(Arch::kRiscV64, 0x0ff0000f));   // fence
  EXPECT_FALSE(IsAtomicWord(Arch::kRiscV64, 0x00052503));  // lw a0, 0(a0)
}

}  // namespace
}  // namespace heddle::refine
