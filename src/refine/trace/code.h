// Looks at single machine instructions: which of them end a run undecided.
//
// Atomic ones and fences: the check covers locks only. Atomic accesses that are plain instructions (on x86-64 all
// loads, and stores that are not sequentially consistent) cannot be told from others. AVX on x86-64: the emulator takes
// most of it for the SSE instruction with the same opcode, and computes another value.
#pragma once

#include <cstdint>
#include <span>

#include "refine/trace/arch.h"

namespace heddle::refine {

enum class CodeKind : uint8_t { kPlain, kAtomic, kNotEmulated };

// `code` is the instruction.
CodeKind LookAtInstruction(Arch arch, std::span<const uint8_t> code);

}  // namespace heddle::refine
