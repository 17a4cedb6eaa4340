// The machine code of one function of a program as lines of text, by LLVM's disassembler.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "litmus/run/target.h"

namespace heddle::litmus {

struct MachineCode {
  Machine machine;
  std::vector<std::string> lines;  // one instruction each, without leading blanks; a lock prefix stands before its own
};

// kUnsupported: not a 64-bit ELF program of a known machine, or no such function.
Result<MachineCode> ReadMachineCode(const std::string& path, const std::string& function);

}  // namespace heddle::litmus
