// The runtime's side of wire/debug_view.h: a debugger that goes backwards runs the program again up to a step.
#pragma once

#include <cstdint>

#include "wire/debug_view.h"

extern "C" __attribute__((visibility("default"))) heddle::wire::DebugView heddle_debug_view;

namespace heddle::rt::control {

// So many steps have been performed: stops there if the stub asked for it.
inline void StopAtStep(uint64_t steps) {
  if (__builtin_expect(static_cast<long>(heddle_debug_view.stop_step == steps), 0) != 0) asm volatile("int3");
}

}  // namespace heddle::rt::control
