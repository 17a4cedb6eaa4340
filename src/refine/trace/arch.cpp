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
       "elf_x86_64",
       EM_X86_64,
       {0xc3, 0, 0, 0},
       1,
       UC_X86_REG_RIP,
       UC_X86_REG_RSP,
       -1,
       {UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX},
       UC_X86_REG_RAX,
       {"-fcf-protection=none"}},
      {Arch::kAArch64,
       "aarch64",
       "aarch64-linux-gnu",
       "aarch64-linux-gnu-",
       "aarch64linux",
       EM_AARCH64,
       {0xc0, 0x03, 0x5f, 0xd6},
       4,
       UC_ARM64_REG_PC,
       UC_ARM64_REG_SP,
       UC_ARM64_REG_LR,
       {UC_ARM64_REG_X0, UC_ARM64_REG_X1, UC_ARM64_REG_X2},
       UC_ARM64_REG_X0,
       {}},
      {Arch::kRiscV64,
       "riscv64",
       "riscv64-linux-gnu",
       "riscv64-linux-gnu-",
       "elf64lriscv",
       EM_RISCV,
       {0x67, 0x80, 0, 0},
       4,
       UC_RISCV_REG_PC,
       UC_RISCV_REG_SP,
       UC_RISCV_REG_RA,
       {UC_RISCV_REG_A0, UC_RISCV_REG_A1, UC_RISCV_REG_A2},
       UC_RISCV_REG_A0,
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
