// What the emulator has to know of an architecture.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::refine {

enum class Arch : uint8_t { kX86_64, kAArch64, kRiscV64 };

struct ArchInfo {
  Arch arch;
  std::string_view name;       // as on the command line
  std::string_view triple;     // for clang's --target
  std::string_view prefix;     // of cross compilers: "aarch64-linux-gnu-"
  std::string_view headers;    // Debian's package of the C library's headers
  std::string_view emulation;  // for the linker's -m
  uint16_t elf_machine;
  std::array<uint8_t, 4> return_code;  // the instruction that returns
  uint32_t return_bytes;
  int pc, sp, link;              // Unicorn's registers; link is -1 where the return address is on the stack
  std::array<int, 3> arguments;  // also: arguments[0] is set by the caller
  int result;
  std::vector<int> clobbered;       // registers of a call that the callee need not keep, besides the result
  std::vector<std::string> cflags;  // that every build of this target gets
};

std::span<const ArchInfo> Architectures();
// Null when there is none of that name or machine.
const ArchInfo* ArchByName(std::string_view name);
const ArchInfo* ArchByMachine(uint16_t elf_machine);

}  // namespace heddle::refine
