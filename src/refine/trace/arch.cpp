#include "refine/trace/arch.h"

#include <elf.h>
#include <unicorn/unicorn.h>

namespace heddle::refine {

std::span<const ArchInfo> Architectures() {
  static const std::vector<ArchInfo> all = {
      {Arch::kX86_64,
       "x86_64",
       "x86_64-linux-gnu",
       "x86_64-linux-gnu-",
       "libc6-dev",
       "elf_x86_64",
       EM_X86_64,
       {0xc3, 0, 0, 0},
       1,
       UC_X86_REG_RIP,
       UC_X86_REG_RSP,
       -1,
       {UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX},
       UC_X86_REG_RAX,
       {UC_X86_REG_RCX, UC_X86_REG_RDX, UC_X86_REG_RSI, UC_X86_REG_RDI, UC_X86_REG_R8, UC_X86_REG_R9, UC_X86_REG_R10,
        UC_X86_REG_R11},
       {"-fcf-protection=none"}},
      {Arch::kAArch64,
       "aarch64",
       "aarch64-linux-gnu",
       "aarch64-linux-gnu-",
       "libc6-dev-arm64-cross",
       "aarch64linux",
       EM_AARCH64,
       {0xc0, 0x03, 0x5f, 0xd6},
       4,
       UC_ARM64_REG_PC,
       UC_ARM64_REG_SP,
       UC_ARM64_REG_LR,
       {UC_ARM64_REG_X0, UC_ARM64_REG_X1, UC_ARM64_REG_X2},
       UC_ARM64_REG_X0,
       {UC_ARM64_REG_X1, UC_ARM64_REG_X2, UC_ARM64_REG_X3, UC_ARM64_REG_X4, UC_ARM64_REG_X5, UC_ARM64_REG_X6,
        UC_ARM64_REG_X7, UC_ARM64_REG_X8, UC_ARM64_REG_X9, UC_ARM64_REG_X10, UC_ARM64_REG_X11, UC_ARM64_REG_X12,
        UC_ARM64_REG_X13, UC_ARM64_REG_X14, UC_ARM64_REG_X15, UC_ARM64_REG_X16, UC_ARM64_REG_X17},
       {}},
      {Arch::kRiscV64,
       "riscv64",
       "riscv64-linux-gnu",
       "riscv64-linux-gnu-",
       "libc6-dev-riscv64-cross",
       "elf64lriscv",
       EM_RISCV,
       {0x67, 0x80, 0, 0},
       4,
       UC_RISCV_REG_PC,
       UC_RISCV_REG_SP,
       UC_RISCV_REG_RA,
       {UC_RISCV_REG_A0, UC_RISCV_REG_A1, UC_RISCV_REG_A2},
       UC_RISCV_REG_A0,
       {UC_RISCV_REG_A1, UC_RISCV_REG_A2, UC_RISCV_REG_A3, UC_RISCV_REG_A4, UC_RISCV_REG_A5, UC_RISCV_REG_A6,
        UC_RISCV_REG_A7, UC_RISCV_REG_T0, UC_RISCV_REG_T1, UC_RISCV_REG_T2, UC_RISCV_REG_T3, UC_RISCV_REG_T4,
        UC_RISCV_REG_T5, UC_RISCV_REG_T6},
       {"-march=rv64gc", "-mabi=lp64d", "-msmall-data-limit=0", "-mno-relax"}},
  };
  return all;
}

const ArchInfo* ArchByName(std::string_view name) {
  for (const ArchInfo& arch : Architectures()) {
    if (arch.name == name) return &arch;
  }
  return nullptr;
}

const ArchInfo* ArchByMachine(uint16_t elf_machine) {
  for (const ArchInfo& arch : Architectures()) {
    if (arch.elf_machine == elf_machine) return &arch;
  }
  return nullptr;
}

}  // namespace heddle::refine
