#include "litmus/syntax/test.h"

#include <algorithm>

namespace heddle::litmus {

std::string_view ArchName(Arch arch) {
  switch (arch) {
    case Arch::kX86:
      return "X86";
    case Arch::kX86_64:
      return "X86_64";
    case Arch::kAArch64:
      return "AArch64";
    case Arch::kRiscv:
      return "RISCV";
    case Arch::kPpc:
      return "PPC";
    case Arch::kC:
      return "C";
    case Arch::kGpuPtx:
      return "GPU_PTX";
    case Arch::kPtx:
      return "PTX";
    case Arch::kVulkan:
      return "VULKAN";
    case Arch::kOpenCl:
      return "OPENCL";
  }
  return "";
}

bool IsGpu(Arch arch) {
  return arch == Arch::kGpuPtx || arch == Arch::kPtx || arch == Arch::kVulkan || arch == Arch::kOpenCl;
}

bool Test::OneSize() const {
  int width = 0;
  for (const Thread& thread : threads) {
    for (const Instr& instr : thread.code) {
      if (instr.addr < 0) continue;
      int here = std::min(instr.width, 4);
      if (width != 0 && width != here) return false;
      width = here;
    }
  }
  return true;
}

bool Test::HasPairs() const {
  return std::any_of(threads.begin(), threads.end(), [](const Thread& thread) {
    return std::any_of(thread.code.begin(), thread.code.end(), [](const Instr& instr) { return instr.pair; });
  });
}

int Test::FindCell(std::string_view name_) const {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].name == name_) return static_cast<int>(i);
  }
  return -1;
}

int Test::CellAt(int64_t address) const {
  if (!IsAddress(address)) return -1;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].address == address) return static_cast<int>(i);
  }
  return -1;
}

std::string ShowValue(const Test& test, int64_t value) {
  int cell = test.CellAt(value);
  return cell >= 0 ? test.cells[static_cast<size_t>(cell)].name : std::to_string(value);
}

}  // namespace heddle::litmus
