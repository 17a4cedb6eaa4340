#include "litmus/run/target.h"

#include <fmt/format.h>
#include <sys/utsname.h>

namespace heddle::litmus {

const std::vector<Target>& Targets() {
  static const std::vector<Target> kTargets = {
      {Machine::kX86_64, "x86_64", "x86_64-linux-gnu-gcc", "qemu-x86_64", "gcc-x86-64-linux-gnu and qemu-user", {}},
      {Machine::kAArch64,
       "aarch64",
       "aarch64-linux-gnu-gcc",
       "qemu-aarch64",
       "gcc-aarch64-linux-gnu and qemu-user",
       {"-march=armv8.4-a"}},
      {Machine::kRiscv64,
       "riscv64",
       "riscv64-linux-gnu-gcc",
       "qemu-riscv64",
       "gcc-riscv64-linux-gnu and qemu-user",
       {}},
      {Machine::kPpc64le,
       "ppc64le",
       "powerpc64le-linux-gnu-gcc",
       "qemu-ppc64le",
       "gcc-powerpc64le-linux-gnu and qemu-user",
       {"-mcpu=power8"}},
  };
  return kTargets;
}

const Target& TargetOf(Machine machine) { return Targets()[static_cast<size_t>(machine)]; }

const Target* TargetNamed(std::string_view name) {
  for (const Target& target : Targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

const Target* Host() {
  utsname name{};
  return uname(&name) == 0 ? TargetNamed(name.machine) : nullptr;
}

const Target* TargetFor(Arch arch) {
  switch (arch) {
    case Arch::kX86:
    case Arch::kX86_64:
      return &TargetOf(Machine::kX86_64);
    case Arch::kAArch64:
      return &TargetOf(Machine::kAArch64);
    case Arch::kRiscv:
      return &TargetOf(Machine::kRiscv64);
    case Arch::kPpc:
      return &TargetOf(Machine::kPpc64le);
    case Arch::kC:
      return Host();
    default:
      return nullptr;
  }
}

std::string MarkText(Machine machine, int number) {
  switch (machine) {
    case Machine::kX86_64:
      return fmt::format("nopw {:#x}(%%rax)", number);
    case Machine::kAArch64:
      return fmt::format("movz xzr, #{:#x}", number);
    case Machine::kRiscv64:
      return fmt::format("lui zero, {:#x}", number);
    case Machine::kPpc64le:
      return fmt::format("cmpldi 7, 0, {:#x}", number);
  }
  return "";
}

std::string CellMarkText(Machine machine, const std::string& reg, int cell) {
  switch (machine) {
    case Machine::kX86_64:
      return fmt::format("nopw {:#x}({})", kCellMark << 12 | cell, reg);
    case Machine::kAArch64:
      return fmt::format("cmp {}, #{:#x}", reg, kCellMark | cell);
    case Machine::kRiscv64:
      return fmt::format("slti zero, {}, {:#x}", reg, kCellMark | cell);
    case Machine::kPpc64le:
      return fmt::format("cmpldi 7, {}, {:#x}", reg, kCellMark | cell);
  }
  return "";
}

}  // namespace heddle::litmus
