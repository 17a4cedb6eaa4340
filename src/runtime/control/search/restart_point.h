// A place in the code to go back to when the memory is as it was there, and other machine code of restarts.
#pragma once

#include <cstdint>

namespace heddle::rt::control {

struct RestartPoint {
  uint64_t registers[6];  // those that calls preserve
  uint64_t stack;
  uint64_t code;
  uint32_t mxcsr;
  uint16_t fpu;
};

// Returns once when called, and again for each heddle_restart, with the registers of now and whatever memory holds
// then.
extern "C" void heddle_mark(RestartPoint* point);
extern "C" [[noreturn]] void heddle_restart(const RestartPoint* point);
// Calls `code` on another stack, of which `top` is the end.
extern "C" [[noreturn]] void heddle_call_on(void* top, void (*code)());

// Where signal handlers return to. Only code between here and kSigreturnBytes behind may call the kernel while
// system calls are watched.
extern "C" void heddle_sigreturn();
inline constexpr long kSigreturnBytes = 16;

inline void WriteFs(uint64_t fs) { asm volatile("wrfsbase %0" : : "r"(fs)); }

}  // namespace heddle::rt::control
