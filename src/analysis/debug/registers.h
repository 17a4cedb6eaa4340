// The registers of an x86-64 thread in gdb's order (kTargetDescription).
#pragma once

#include <sys/user.h>

#include <string>
#include <string_view>

namespace heddle::analysis {

struct Registers {
  user_regs_struct general{};
  user_fpregs_struct floating{};
};

// For gdb's question about features: target.xml.
std::string TargetDescription();

// All of them, as the packet `g` has them; and back. False when the bytes are not as many.
std::string RegisterBytes(const Registers& registers);
bool SetRegisterBytes(std::string_view bytes, Registers& registers);

// One of them: its place in RegisterBytes. False when there is no such register.
bool RegisterSpan(unsigned number, size_t& offset, size_t& bytes);

}  // namespace heddle::analysis
